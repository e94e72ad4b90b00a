/** All webhooks. */
import { Modal } from '@mantine/core';
import { IconPlus, IconWebhook } from '@tabler/icons-react';
import { Link, useLocation } from 'wouter';
import { useRead } from '../api/read.ts';
import { MayButton } from '../parts/act.tsx';
import { useFilters } from '../parts/filters.ts';
import { PagedList } from '../parts/list.tsx';
import { PageHead } from '../parts/page.tsx';
import { Chip, Moment, Tags } from '../parts/show.tsx';
import { Empty } from '../parts/states.tsx';
import { WebhookForm } from './webhook-form.tsx';

export default function WebhooksPage() {
  const { values, set } = useFilters();
  const [, go] = useLocation();
  const webhooks = useRead(
    'GET /v1/webhooks',
    { query: { limit: 25, ...(values.cursor === undefined ? {} : { cursor: values.cursor }) } },
    { keep: true },
  );
  const close = () => set({ new: null });
  return (
    <>
      <PageHead
        title="Webhooks"
        lead="Other systems that are told of changes and decisions, signed, and again until they answer."
        actions={
          <MayButton
            permission="webhooks:manage"
            leftSection={<IconPlus size={16} />}
            onClick={() => set({ new: '1' })}
          >
            Add a webhook
          </MayButton>
        }
      />
      <div className="panel">
        <PagedList
          caption="Webhooks"
          of={webhooks}
          noun={['webhook', 'webhooks']}
          filtered={false}
          idOf={({ id }) => id}
          empty={
            <Empty icon={<IconWebhook size={36} stroke={1.3} />} title="Nobody is told of anything">
              A webhook is called for each event you choose: a licence that expired, an item that changed, a crawler
              that was denied.
            </Empty>
          }
          columns={[
            {
              label: 'Address',
              show: ({ id, url, description }) => (
                <>
                  <Link href={`/webhooks/${id}`}>{url}</Link>
                  {description !== null && <span className="under">{description}</span>}
                </>
              ),
            },
            {
              label: 'Told of',
              show: ({ events }) => <Tags of={events.map((one) => (one === '*' ? 'everything' : one))} />,
            },
            { label: 'State', narrow: true, show: (webhook) => <State of={webhook} /> },
            { label: 'Added', narrow: true, show: ({ created }) => <Moment at={created} /> },
          ]}
        />
      </div>
      {values.new !== undefined && (
        <Modal opened onClose={close} title="Add a webhook">
          <WebhookForm onDone={(id) => go(`/webhooks/${id}`)} onCancel={close} />
        </Modal>
      )}
    </>
  );
}

export function State({ of }: { of: { status: string; failingSince: string | null } }) {
  if (of.status === 'disabled') return <Chip tone="denied">disabled</Chip>;
  if (of.failingSince !== null) return <Chip tone="limited">failing</Chip>;
  return <Chip tone="allowed">active</Chip>;
}

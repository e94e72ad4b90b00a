/** The list of webhooks. */

import { Link, useLocation } from 'wouter';
import type { Row } from '../api/client.ts';
import { MayButton } from '../parts/act.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { useFilters } from '../parts/filters.ts';
import { IconPlus, IconWebhook } from '../parts/icons.ts';
import type { Column } from '../parts/list.tsx';
import { PageHead } from '../parts/page.tsx';
import { PagedList } from '../parts/paged-list.tsx';
import { Chip, Tags, Time } from '../parts/show.tsx';
import { Empty } from '../parts/states.tsx';
import { WebhookForm } from './webhook-form.tsx';

const COLUMNS: readonly Column<Row<'GET /v1/webhooks'>>[] = [
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
    label: 'Events',
    show: ({ events }) => <Tags of={events.map((one) => (one === '*' ? 'everything' : one))} />,
  },
  { label: 'State', narrow: true, show: (webhook) => <State of={webhook} /> },
  { label: 'Added', narrow: true, show: ({ created }) => <Time at={created} /> },
];

export default function WebhooksPage() {
  const { values, set } = useFilters();
  const [, go] = useLocation();
  const close = () => set({ new: null });
  return (
    <>
      <PageHead
        title="Webhooks"
        lead="Your systems are sent changes and decisions, signed, and retried until they answer."
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
          of="GET /v1/webhooks"
          noun={['webhook', 'webhooks']}
          empty={
            <Empty
              icon={<IconWebhook size={36} stroke={1.3} />}
              title="No webhooks yet"
              action={
                <MayButton permission="webhooks:manage" onClick={() => set({ new: '1' })}>
                  Add a webhook
                </MayButton>
              }
            >
              Your systems are called for the events you choose: a license that expired, an item that changed, a crawler
              that was denied.
            </Empty>
          }
          columns={COLUMNS}
        />
      </div>
      {values.new !== undefined && (
        <Dialog onClose={close} title="Add a webhook">
          <WebhookForm onDone={(id) => go(`/webhooks/${id}`)} onCancel={close} />
        </Dialog>
      )}
    </>
  );
}

export function State({ of }: { of: { status: string; failingSince: string | null } }) {
  if (of.status === 'disabled') return <Chip tone="denied">disabled</Chip>;
  if (of.failingSince !== null) return <Chip tone="limited">failing</Chip>;
  return <Chip tone="allowed">active</Chip>;
}

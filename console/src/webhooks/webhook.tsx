/** One webhook: how it is doing, its deliveries, and each attempt. */
import { Alert, Button, Modal, Select } from '@mantine/core';
import { IconRefresh, IconSend } from '@tabler/icons-react';
import { useState } from 'react';
import { useLocation } from 'wouter';
import type { Answer, Row } from '../api/client.ts';
import { useRead, useWrite } from '../api/read.ts';
import { Confirm, MayButton } from '../parts/act.tsx';
import { Id } from '../parts/copy.tsx';
import { useFilters } from '../parts/filters.ts';
import { PagedList } from '../parts/list.tsx';
import { MoreMenu } from '../parts/more-menu.tsx';
import { told, toldFailed } from '../parts/notices.tsx';
import { PageHead, Panel } from '../parts/page.tsx';
import { useId } from '../parts/params.ts';
import { Chip, Moment, type Outcome, Tags } from '../parts/show.tsx';
import { Empty, Loaded } from '../parts/states.tsx';
import { DeliveryDetails } from './delivery.tsx';
import { Secret, WebhookForm } from './webhook-form.tsx';
import { State } from './webhooks.tsx';

type Webhook = Answer<'GET /v1/webhooks/{id}'>;
type Delivery = Row<'GET /v1/webhooks/{id}/deliveries'>;

const EVERY_MS = 3_000;

export default function WebhookPage() {
  const id = useId();
  const webhook = useRead('GET /v1/webhooks/{id}', { path: { id } }, { everyMs: EVERY_MS });
  return (
    <Loaded of={webhook} rows={8}>
      {(data) => <Shown webhook={data} />}
    </Loaded>
  );
}

function Shown({ webhook }: { webhook: Webhook }) {
  const write = useWrite();
  const test = () =>
    write('POST /v1/webhooks/{id}/test', { path: { id: webhook.id } }).then(
      () => told('A test is on its way; see the deliveries.'),
      toldFailed,
    );
  return (
    <>
      <PageHead
        title={hostOf(webhook.url)}
        under={{ path: '/webhooks', label: 'Webhooks' }}
        lead={
          <span className="tags">
            <State of={webhook} /> {webhook.description}
          </span>
        }
        actions={
          <>
            <MayButton permission="webhooks:manage" leftSection={<IconSend size={16} />} onClick={test}>
              Send a test
            </MayButton>
            <Actions webhook={webhook} />
          </>
        }
      />
      <div className="stack">
        {webhook.status === 'disabled' && (
          <Alert color="red" title="Disabled">
            {webhook.disabledReason ?? 'Nothing is sent to it.'}
          </Alert>
        )}
        {webhook.status === 'active' && webhook.failingSince !== null && (
          <Alert color="yellow" title="Failing">
            No attempt has succeeded since <Moment at={webhook.failingSince} />. After five days it is disabled.
          </Alert>
        )}
        <Panel title="About it">
          <dl className="facts">
            <dt>Address</dt>
            <dd>
              <code>{webhook.url}</code>
            </dd>
            <dt>Told of</dt>
            <dd>
              <Tags of={webhook.events.map((one) => (one === '*' ? 'everything' : one))} />
            </dd>
            <dt>Id</dt>
            <dd>
              <Id of={webhook.id} />
            </dd>
            <dt>Added</dt>
            <dd>
              <Moment at={webhook.created} />
            </dd>
          </dl>
        </Panel>
        <Deliveries id={webhook.id} />
      </div>
    </>
  );
}

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : url);
const TONES: Record<string, Outcome | undefined> = { succeeded: 'allowed', failed: 'denied' };

function Deliveries({ id }: { id: string }) {
  const { values, set } = useFilters();
  const query = {
    limit: 15,
    status: values.status as never,
    ...(values.cursor === undefined ? {} : { cursor: values.cursor }),
  };
  const deliveries = useRead(
    'GET /v1/webhooks/{id}/deliveries',
    { path: { id }, query },
    { keep: true, everyMs: EVERY_MS },
  );
  const write = useWrite();
  const retry = (deliveryId: string) =>
    write('POST /v1/webhooks/{id}/deliveries/{deliveryId}/retry', { path: { id, deliveryId } }).then(
      () => told('It is sent again.'),
      toldFailed,
    );
  return (
    <Panel
      title="Deliveries"
      actions={
        <Select
          aria-label="State of the delivery"
          placeholder="All"
          data={['pending', 'succeeded', 'failed']}
          value={values.status ?? null}
          onChange={(status) => set({ status })}
          clearable
          w={150}
          size="xs"
        />
      }
    >
      <PagedList<Delivery>
        caption="Deliveries"
        of={deliveries}
        noun={['delivery', 'deliveries']}
        filtered={values.status !== undefined}
        idOf={(delivery) => delivery.id}
        empty={<Empty title="Nothing was sent yet">Send a test, or wait for the first event.</Empty>}
        columns={[
          {
            label: 'Event',
            show: (delivery) => (
              <>
                <button
                  type="button"
                  className="link"
                  onClick={() =>
                    set({ delivery: delivery.id, ...(values.cursor === undefined ? {} : { cursor: values.cursor }) })
                  }
                >
                  {delivery.eventType}
                </button>
                <span className="under">
                  <code>{delivery.eventId}</code>
                </span>
              </>
            ),
          },
          { label: 'State', narrow: true, show: ({ status }) => <Chip tone={TONES[status]}>{status}</Chip> },
          { label: 'Attempts', right: true, narrow: true, show: ({ attemptCount }) => attemptCount },
          { label: 'Last answer', show: ({ attempts }) => lastAnswer(attempts.at(-1)) },
          { label: 'Next', narrow: true, show: ({ nextAttemptAt }) => <Moment at={nextAttemptAt} /> },
          { label: 'Made', narrow: true, show: ({ created }) => <Moment at={created} /> },
          {
            label: '',
            narrow: true,
            show: (delivery) => (
              <Button
                size="compact-xs"
                variant="subtle"
                leftSection={<IconRefresh size={14} />}
                onClick={() => retry(delivery.id)}
                aria-label={`Retry ${delivery.eventType}`}
              >
                Retry
              </Button>
            ),
          },
        ]}
      />
      {values.delivery !== undefined && (
        <DeliveryDetails webhookId={id} deliveryId={values.delivery} onClose={() => set({ delivery: null })} />
      )}
    </Panel>
  );
}

function lastAnswer(attempt: Delivery['attempts'][number] | undefined): string {
  if (attempt === undefined) return 'not tried yet';
  return attempt.statusCode === null
    ? (attempt.error ?? 'no answer')
    : `${attempt.statusCode} in ${attempt.durationMs} ms`;
}

function Actions({ webhook }: { webhook: Webhook }) {
  const write = useWrite();
  const [, go] = useLocation();
  const [doing, setDoing] = useState<'edit' | 'rotate' | 'delete'>();
  const [secret, setSecret] = useState<string>();
  const path = { id: webhook.id };
  const active = webhook.status === 'active';
  const done = () => setDoing(undefined);
  const turn = () =>
    write('PATCH /v1/webhooks/{id}', { path, body: { status: active ? 'disabled' : 'active' } }).then(
      () => told(active ? 'Nothing is sent to it any more.' : 'It is told again.'),
      toldFailed,
    );
  return (
    <>
      <MoreMenu
        of="this webhook"
        permission="webhooks:manage"
        actions={[
          { label: 'Edit', onClick: () => setDoing('edit') },
          { label: 'Rotate the secret…', onClick: () => setDoing('rotate') },
          { label: active ? 'Disable' : 'Enable', onClick: turn },
          { label: 'Delete…', hurts: true, onClick: () => setDoing('delete') },
        ]}
      />
      {doing === 'edit' && (
        <Modal opened onClose={done} title="Edit the webhook">
          <WebhookForm webhook={webhook} onDone={done} onCancel={done} />
        </Modal>
      )}
      {doing === 'rotate' && (
        <Confirm
          title="Rotate the secret?"
          action="Rotate"
          onClose={done}
          onConfirm={async () => setSecret((await write('POST /v1/webhooks/{id}/rotate-secret', { path })).secret)}
        >
          For a day deliveries are signed with both, the old one and the new one.
        </Confirm>
      )}
      {doing === 'delete' && (
        <Confirm
          title="Delete the webhook?"
          typed={hostOf(webhook.url)}
          action="Delete for good"
          onClose={done}
          onConfirm={() =>
            write('DELETE /v1/webhooks/{id}', { path }, () => go('/webhooks')).then(() =>
              told('The webhook is deleted.'),
            )
          }
        >
          Its deliveries are deleted with it.
        </Confirm>
      )}
      {secret !== undefined && (
        <Modal opened onClose={() => setSecret(undefined)} title="The new secret" closeOnClickOutside={false}>
          <Secret text={secret} onDone={() => setSecret(undefined)} />
        </Modal>
      )}
    </>
  );
}

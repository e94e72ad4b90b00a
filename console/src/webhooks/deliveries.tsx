/** The deliveries of a webhook, newest first. */
import { Button, Select } from '@mantine/core';
import type { Row } from '../api/client.ts';
import { useWrite } from '../api/read.ts';
import { useFilters } from '../parts/filters.ts';
import { IconRefresh } from '../parts/icons.ts';
import type { Column } from '../parts/list.tsx';
import { tell } from '../parts/notices.tsx';
import { Panel } from '../parts/page.tsx';
import { PagedList } from '../parts/paged-list.tsx';
import { Chip, type Outcome, Time } from '../parts/show.tsx';
import { Empty } from '../parts/states.tsx';
import { DeliveryDetails } from './delivery.tsx';

type Delivery = Row<'GET /v1/webhooks/{id}/deliveries'>;

const EVERY_MS = 3_000;
const TONES: Record<string, Outcome | undefined> = { succeeded: 'allowed', failed: 'denied' };

const COLUMNS: readonly Column<Delivery>[] = [
  {
    label: 'Event',
    show: (delivery) => (
      <>
        <OpenDelivery delivery={delivery} />
        <span className="under">
          <code>{delivery.eventId}</code>
        </span>
      </>
    ),
  },
  { label: 'State', narrow: true, show: ({ status }) => <Chip tone={TONES[status]}>{status}</Chip> },
  { label: 'Attempts', right: true, narrow: true, show: ({ attemptCount }) => attemptCount },
  { label: 'Last answer', show: ({ attempts }) => lastAnswer(attempts.at(-1)) },
  { label: 'Next', narrow: true, show: ({ nextAttemptAt }) => <Time at={nextAttemptAt} /> },
  { label: 'Created', narrow: true, show: ({ created }) => <Time at={created} /> },
  { label: '', narrow: true, show: (delivery) => <Retry delivery={delivery} /> },
];

export function Deliveries({ id }: { id: string }) {
  const { values, set } = useFilters();
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
      <PagedList
        caption="Deliveries"
        of="GET /v1/webhooks/{id}/deliveries"
        path={{ id }}
        filter={{ status: values.status }}
        query={{ limit: 15 }}
        everyMs={EVERY_MS}
        noun={['delivery', 'deliveries']}
        empty={<Empty title="No deliveries yet">Send a test, or wait for the first event.</Empty>}
        columns={COLUMNS}
      />
      {values.delivery !== undefined && (
        <DeliveryDetails webhookId={id} deliveryId={values.delivery} onClose={() => set({ delivery: null })} />
      )}
    </Panel>
  );
}

/** Opens the details of a delivery and stays on the page of the list. */
function OpenDelivery({ delivery }: { delivery: Delivery }) {
  const { values, set } = useFilters();
  return (
    <button type="button" className="link" onClick={() => set({ delivery: delivery.id, cursor: values.cursor })}>
      {delivery.eventType}
    </button>
  );
}

function Retry({ delivery: { id, webhookId, eventType } }: { delivery: Delivery }) {
  const write = useWrite();
  const retry = () =>
    tell(
      write('POST /v1/webhooks/{id}/deliveries/{deliveryId}/retry', { path: { id: webhookId, deliveryId: id } }),
      'The delivery is sent again.',
    );
  return (
    <Button
      size="compact-xs"
      variant="subtle"
      leftSection={<IconRefresh size={14} />}
      onClick={retry}
      aria-label={`Retry ${eventType}`}
    >
      Retry
    </Button>
  );
}

function lastAnswer(attempt: Delivery['attempts'][number] | undefined): string {
  if (attempt === undefined) return 'not tried yet';
  return attempt.statusCode === null
    ? (attempt.error ?? 'no answer')
    : `${attempt.statusCode} in ${attempt.durationMs} ms`;
}

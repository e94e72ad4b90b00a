/** A delivery: its body, and every attempt with its response. */
import '@mantine/core/styles/Drawer.css';
import { Drawer } from '@mantine/core';
import type { Answer } from '../api/client.ts';
import { useRead } from '../api/read.ts';
import { Facts } from '../parts/page.tsx';
import { useReturnedFocus } from '../parts/returned-focus.ts';
import { Chip, formatTime, Json } from '../parts/show.tsx';
import { Loaded } from '../parts/states.tsx';

type Attempt = Answer<'GET /v1/webhooks/{id}/deliveries/{deliveryId}'>['attempts'][number];

interface DeliveryDetailsProps {
  webhookId: string;
  deliveryId: string;
  onClose: () => void;
}

export function DeliveryDetails({ webhookId, deliveryId, onClose }: DeliveryDetailsProps) {
  useReturnedFocus();
  const delivery = useRead('GET /v1/webhooks/{id}/deliveries/{deliveryId}', { path: { id: webhookId, deliveryId } });
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size="lg"
      title="Delivery"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Loaded of={delivery}>
        {({ eventType, attempts, requestBody, status }) => (
          <div className="stack">
            <div className="tags">
              <Chip>{eventType}</Chip>{' '}
              <Chip tone={status === 'succeeded' ? 'allowed' : status === 'failed' ? 'denied' : undefined}>
                {status}
              </Chip>
            </div>
            {requestBody !== undefined && (
              <section>
                <h3 className="small">Request body</h3>
                <Json of={parse(requestBody)} />
              </section>
            )}
            {attempts.toReversed().map((attempt) => (
              <AttemptDetails key={attempt.number} attempt={attempt} />
            ))}
          </div>
        )}
      </Loaded>
    </Drawer>
  );
}

function AttemptDetails({ attempt }: { attempt: Attempt }) {
  const { number, created, statusCode, durationMs, error, responseBody, request } = attempt;
  return (
    <section>
      <h3 className="small">
        Attempt {number}, {formatTime(created)}
      </h3>
      <Facts
        of={{
          Answer: statusCode ?? 'none',
          Took: `${durationMs} ms`,
          Error: error,
          Response: responseBody !== null && responseBody !== '' && <pre className="json">{responseBody}</pre>,
          Headers: <Json of={request.headers} />,
        }}
      />
    </section>
  );
}

/** Returns the value, or the text itself when it is not JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

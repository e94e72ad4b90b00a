/** One delivery: what is sent, and every attempt with its answer. */
import '@mantine/core/styles/Drawer.css';
import { Drawer } from '@mantine/core';
import { useRead } from '../api/read.ts';
import { Chip, Json, momentOf } from '../parts/show.tsx';
import { Loaded } from '../parts/states.tsx';

interface DeliveryDetailsProps {
  webhookId: string;
  deliveryId: string;
  onClose: () => void;
}

export function DeliveryDetails({ webhookId, deliveryId, onClose }: DeliveryDetailsProps) {
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
                <h3 className="small">What is sent</h3>
                <Json of={parsed(requestBody)} />
              </section>
            )}
            {attempts.toReversed().map((attempt) => (
              <section key={attempt.number}>
                <h3 className="small">
                  Attempt {attempt.number}, {momentOf(attempt.created)}
                </h3>
                <dl className="facts">
                  <dt>Answer</dt>
                  <dd>{attempt.statusCode ?? 'none'}</dd>
                  <dt>Took</dt>
                  <dd>{attempt.durationMs} ms</dd>
                  {attempt.error !== null && (
                    <>
                      <dt>Error</dt>
                      <dd>{attempt.error}</dd>
                    </>
                  )}
                  {attempt.responseBody !== null && attempt.responseBody !== '' && (
                    <>
                      <dt>It said</dt>
                      <dd>
                        <pre className="json">{attempt.responseBody}</pre>
                      </dd>
                    </>
                  )}
                  <dt>Headers</dt>
                  <dd>
                    <Json of={attempt.request.headers} />
                  </dd>
                </dl>
              </section>
            ))}
          </div>
        )}
      </Loaded>
    </Drawer>
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The page of a webhook: state, deliveries, attempts. */
import { Alert } from '@mantine/core';
import type { Answer } from '../api/client.ts';
import { useRead, useWrite } from '../api/read.ts';
import { MayButton } from '../parts/act.tsx';
import { Id } from '../parts/copy.tsx';
import { IconSend } from '../parts/icons.ts';
import { LoadedPage } from '../parts/loaded-page.tsx';
import { tell } from '../parts/notices.tsx';
import { Facts, PageHead, Panel } from '../parts/page.tsx';
import { useId } from '../parts/params.ts';
import { Tags, Time } from '../parts/show.tsx';
import { Deliveries } from './deliveries.tsx';
import { Actions, getHost } from './webhook-actions.tsx';
import { State } from './webhooks.tsx';

type Webhook = Answer<'GET /v1/webhooks/{id}'>;

const EVERY_MS = 3_000;

const UNDER = { path: '/webhooks', label: 'Webhooks' };

export default function WebhookPage() {
  const id = useId();
  const webhook = useRead('GET /v1/webhooks/{id}', { path: { id } }, { everyMs: EVERY_MS });
  return (
    <LoadedPage of={webhook} under={UNDER}>
      {(data) => <WebhookView webhook={data} />}
    </LoadedPage>
  );
}

function WebhookView({ webhook }: { webhook: Webhook }) {
  const write = useWrite();
  const test = () =>
    tell(
      write('POST /v1/webhooks/{id}/test', { path: { id: webhook.id } }),
      'A test is on its way; see the deliveries.',
    );
  return (
    <>
      <PageHead
        title={getHost(webhook.url)}
        under={UNDER}
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
        <Notice of={webhook} />
        <Details webhook={webhook} />
        <Deliveries id={webhook.id} />
      </div>
    </>
  );
}

/** Says why no deliveries arrive. */
function Notice({ of: { status, disabledReason, failingSince } }: { of: Webhook }) {
  if (status === 'disabled')
    return (
      <Alert color="red" title="Disabled">
        {disabledReason ?? 'Nothing is sent to it.'}
      </Alert>
    );
  if (status !== 'active' || failingSince === null) return null;
  return (
    <Alert color="yellow" title="Failing">
      No attempt has succeeded since <Time at={failingSince} />. After five days it is disabled.
    </Alert>
  );
}

function Details({ webhook }: { webhook: Webhook }) {
  return (
    <Panel title="Details">
      <Facts
        of={{
          Address: <code>{webhook.url}</code>,
          Events: <Tags of={webhook.events.map((one) => (one === '*' ? 'everything' : one))} />,
          Id: <Id of={webhook.id} />,
          Added: <Time at={webhook.created} />,
        }}
      />
    </Panel>
  );
}

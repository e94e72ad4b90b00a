/** The form of a webhook: URL and events. */
import { Alert, Button, Group, MultiSelect, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Row } from '../api/client.ts';
import { useWrite } from '../api/read.ts';
import { SecretText } from '../parts/copy.tsx';
import { FormFoot } from '../parts/form-foot.tsx';
import { toRefused } from '../parts/refused.ts';
import { useWork } from '../parts/work.ts';
import { KINDS } from './kinds.ts';

type Webhook = Row<'GET /v1/webhooks'>;

const LABELS = { url: 'Address', events: 'Events', description: 'Description' };

interface WebhookFormProps {
  webhook?: Webhook;
  onDone: (id: string) => void;
  onCancel: () => void;
}

export function WebhookForm({ webhook, onDone, onCancel }: WebhookFormProps) {
  const write = useWrite();
  const [url, setUrl] = useState(webhook?.url ?? '');
  const [events, setEvents] = useState<string[]>(webhook?.events ?? ['*']);
  const [description, setDescription] = useState(webhook?.description ?? '');
  const [made, setMade] = useState<{ id: string; secret: string }>();

  const { busy, error, start } = useWork(async () => {
    const body = { url: url.trim(), events, description: description.trim() === '' ? null : description.trim() };
    if (webhook === undefined) {
      const { id, secret = '' } = await write('POST /v1/webhooks', { body });
      setMade({ id, secret });
    } else {
      await write('PATCH /v1/webhooks/{id}', { path: { id: webhook.id }, body });
      onDone(webhook.id);
    }
  });

  const refused = toRefused(error, LABELS);
  if (made !== undefined) return <Secret text={made.secret} onDone={() => onDone(made.id)} />;
  return (
    <form className="fields" onSubmit={start}>
      <TextInput
        label="Address"
        placeholder="https://example.com/hooks/postern"
        type="url"
        value={url}
        error={refused.at('url')}
        onChange={(event) => setUrl(event.currentTarget.value)}
        required
        data-autofocus
      />
      <MultiSelect
        label="Events"
        data={KINDS}
        value={events}
        onChange={setEvents}
        error={refused.at('events')}
        searchable
        required
      />
      <Textarea
        label="Description"
        value={description}
        error={refused.at('description')}
        onChange={(event) => setDescription(event.currentTarget.value)}
        autosize
      />
      <FormFoot
        error={refused.elsewhere}
        busy={busy}
        action={webhook === undefined ? 'Add the webhook' : 'Save'}
        disabled={events.length === 0}
        onCancel={onCancel}
      />
    </form>
  );
}

/** Shows the signing secret, once. */
export function Secret({ text, onDone }: { text: string; onDone: () => void }) {
  return (
    <div className="fields">
      <Alert color="yellow">Copy the secret now: deliveries are signed with it, and it is not shown again.</Alert>
      <SecretText text={text} what="the secret" />
      <Group justify="flex-end">
        <Button onClick={onDone}>I have it</Button>
      </Group>
    </div>
  );
}

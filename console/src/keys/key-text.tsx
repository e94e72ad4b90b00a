/** Shows a new key, once. */
import { Alert, Button, Group } from '@mantine/core';
import { SecretText } from '../parts/copy.tsx';

export function KeyText({ text, onDone }: { text: string; onDone: () => void }) {
  return (
    <div className="fields">
      <Alert color="yellow">Copy it now: it is not shown again, and cannot be looked up.</Alert>
      <SecretText text={text} what="the key" />
      <pre className="json">{`curl -sS '${window.location.origin}/v1/content' \\\n  -H 'Authorization: Bearer ${text}'`}</pre>
      <Group justify="flex-end">
        <Button onClick={onDone}>I have it</Button>
      </Group>
    </div>
  );
}

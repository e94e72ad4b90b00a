/** Copy as curl: what is on the page, as the requests that it came from. */
import { Button, Menu } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { IconCheck, IconTerminal2 } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { addressOf } from '../api/client.ts';

interface Asked {
  method: string;
  path: string;
  body: unknown;
}

export function CopyAsCurl() {
  const client = useQueryClient();
  const clipboard = useClipboard({ timeout: 1500 });
  const asked = (): Asked[] =>
    client
      .getQueryCache()
      .findAll({ type: 'active' })
      .map(({ queryKey: [operation, args = {}] }) => ({
        ...addressOf(operation as string, args as object),
        body: (args as { body?: unknown }).body,
      }));
  return (
    <Menu position="bottom-end" width={360} shadow="md">
      <Menu.Target>
        <Button
          variant="default"
          leftSection={clipboard.copied ? <IconCheck size={16} /> : <IconTerminal2 size={16} />}
        >
          {clipboard.copied ? 'Copied' : 'Copy as curl'}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Requests read={asked} onCopy={(some) => clipboard.copy(some.map(curlOf).join('\n\n'))} />
      </Menu.Dropdown>
    </Menu>
  );
}

/** Read when the menu opens: what the page asks for changes with it. */
function Requests({ read, onCopy }: { read: () => Asked[]; onCopy: (some: Asked[]) => void }) {
  const asked = read();
  if (asked.length === 0) return <Menu.Label>This page asked for nothing yet.</Menu.Label>;
  return (
    <>
      <Menu.Label>What this page asked for; the key is yours to add</Menu.Label>
      <Menu.Item onClick={() => onCopy(asked)}>All {asked.length} requests</Menu.Item>
      <Menu.Divider />
      {asked.slice(0, 8).map((one) => (
        <Menu.Item key={`${one.path} ${JSON.stringify(one.body)}`} onClick={() => onCopy([one])}>
          <code className="clip">
            {one.method} {one.path}
          </code>
        </Menu.Item>
      ))}
    </>
  );
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

function curlOf({ path, body }: Asked): string {
  const sent =
    body === undefined ? '' : ` \\\n  -H 'Content-Type: application/json' -d ${quoted(JSON.stringify(body))}`;
  return `curl -sS ${quoted(window.location.origin + path)} \\\n  -H "Authorization: Bearer $KEY"${sent}`;
}

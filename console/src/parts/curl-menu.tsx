/** The menu of the page's API requests as curl commands. */
import { Menu } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { type Operation, toMethodAndPath } from '../api/client.ts';

interface ApiRequest {
  method: string;
  path: string;
  body: unknown;
}

interface CurlMenuProps {
  opened: boolean;
  onChange: (opened: boolean) => void;
  onCopy: (commands: string) => void;
  /** The button. */
  children: ReactNode;
}

export default function CurlMenu({ opened, onChange, onCopy, children }: CurlMenuProps) {
  const client = useQueryClient();
  const requests = (): ApiRequest[] =>
    client
      .getQueryCache()
      .findAll({ type: 'active' })
      .map(({ queryKey: [operation, args = {}] }) => ({
        ...toMethodAndPath(operation as Operation, args as object),
        body: (args as { body?: unknown }).body,
      }));
  return (
    <Menu opened={opened} onChange={onChange} position="bottom-end" width="min(360px, calc(100vw - 32px))" shadow="md">
      <Menu.Target>{children}</Menu.Target>
      <Menu.Dropdown>
        <Requests read={requests} onCopy={(some) => onCopy(some.map(toCurl).join('\n\n'))} />
      </Menu.Dropdown>
    </Menu>
  );
}

/** Read when the menu opens, because requests change with the page. */
function Requests({ read, onCopy }: { read: () => ApiRequest[]; onCopy: (some: ApiRequest[]) => void }) {
  const requests = read();
  if (requests.length === 0) return <Menu.Label>No requests yet.</Menu.Label>;
  return (
    <>
      <Menu.Label>Requests of this page; add your own key</Menu.Label>
      <Menu.Item onClick={() => onCopy(requests)}>All {requests.length} requests</Menu.Item>
      <Menu.Divider />
      {requests.slice(0, 8).map((one) => (
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

function toCurl({ path, body }: ApiRequest): string {
  const sent =
    body === undefined ? '' : ` \\\n  -H 'Content-Type: application/json' -d ${quoted(JSON.stringify(body))}`;
  return `curl -sS ${quoted(window.location.origin + path)} \\\n  -H "Authorization: Bearer $KEY"${sent}`;
}

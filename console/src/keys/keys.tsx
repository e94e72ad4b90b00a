/** API keys: made from presets, shown once, rotated, revoked. */
import { Button, Menu, Modal } from '@mantine/core';
import { IconDots, IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import type { Row } from '../api/client.ts';
import { useRead, useWrite } from '../api/read.ts';
import { Confirm, MayButton } from '../parts/act.tsx';
import { useFilters } from '../parts/filters.ts';
import { PagedList } from '../parts/list.tsx';
import { told } from '../parts/notices.tsx';
import { PageHead } from '../parts/page.tsx';
import { Chip, Moment, Tags } from '../parts/show.tsx';
import { Empty } from '../parts/states.tsx';
import { useSession } from '../shell/session.tsx';
import { NewKey } from './new-key.tsx';
import { Shown } from './shown.tsx';

type Key = Row<'GET /v1/api-keys'>;

export default function KeysPage() {
  const { values, set } = useFilters();
  const session = useSession();
  const keys = useRead(
    'GET /v1/api-keys',
    { query: { limit: 25, ...(values.cursor === undefined ? {} : { cursor: values.cursor }) } },
    { keep: true },
  );
  return (
    <>
      <PageHead
        title="API keys"
        lead="Who may call the API, and for what. A key is shown once, when it is made."
        actions={
          <MayButton
            permission="api_keys:manage"
            leftSection={<IconPlus size={16} />}
            onClick={() => set({ new: '1' })}
          >
            Create a key
          </MayButton>
        }
      />
      <div className="panel">
        <PagedList
          caption="API keys"
          of={keys}
          noun={['key', 'keys']}
          filtered={false}
          idOf={({ id }) => id}
          empty={<Empty title="No keys" />}
          columns={[
            {
              label: 'Name',
              show: ({ id, name, prefix }) => (
                <>
                  <strong>{name}</strong> {id === session.key.id && <Chip>this session</Chip>}
                  <span className="under">
                    <code>{prefix}…</code>
                  </span>
                </>
              ),
            },
            { label: 'Type', narrow: true, show: ({ type }) => type },
            {
              label: 'May',
              show: ({ permissions }) => <Tags of={permissions.map((one) => (one === '*' ? 'everything' : one))} />,
            },
            {
              label: 'From',
              show: ({ allowedIps }) => (allowedIps.length === 0 ? 'anywhere' : <Tags of={allowedIps} />),
            },
            { label: 'Last used', narrow: true, show: ({ lastUsedAt }) => <Moment at={lastUsedAt} absent="never" /> },
            { label: 'Expires', narrow: true, show: ({ expiresAt }) => <Moment at={expiresAt} absent="never" /> },
            { label: '', narrow: true, show: (key) => <Actions apiKey={key} /> },
          ]}
        />
      </div>
      {values.new !== undefined && <NewKey onClose={() => set({ new: null })} />}
    </>
  );
}

function Actions({ apiKey }: { apiKey: Key }) {
  const write = useWrite();
  const session = useSession();
  const [doing, setDoing] = useState<'rotate' | 'revoke'>();
  const [rotated, setRotated] = useState<string>();
  const path = { id: apiKey.id };
  const own = apiKey.id === session.key.id;
  const done = () => setDoing(undefined);
  return (
    <>
      <Menu position="bottom-end" shadow="md">
        <Menu.Target>
          <Button
            variant="subtle"
            color="gray"
            size="compact-sm"
            px={6}
            aria-label={`More to do with the key ${apiKey.name}`}
          >
            <IconDots size={16} />
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => setDoing('rotate')}>Rotate…</Menu.Item>
          <Menu.Item color="red" onClick={() => setDoing('revoke')}>
            Revoke…
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {doing === 'rotate' && (
        <Confirm
          title={`Rotate ${apiKey.name}?`}
          action="Rotate"
          onClose={done}
          onConfirm={async () => {
            const fresh = await write('POST /v1/api-keys/{id}/rotate', { path, body: { graceSeconds: 86_400 } });
            setRotated(fresh.key);
          }}
        >
          A new key is made with the same permissions; the old one works for another day.
        </Confirm>
      )}
      {doing === 'revoke' && (
        <Confirm
          title={`Revoke ${apiKey.name}?`}
          typed={apiKey.name}
          action="Revoke for good"
          onClose={done}
          onConfirm={() => write('DELETE /v1/api-keys/{id}', { path }).then(() => told(`${apiKey.name} is revoked.`))}
        >
          Requests with it are refused at once.{' '}
          {own && <strong>You are signed in with it: your session ends with it.</strong>}
        </Confirm>
      )}
      {rotated !== undefined && (
        <Modal opened onClose={() => setRotated(undefined)} title="The new key" closeOnClickOutside={false}>
          <Shown text={rotated} onDone={() => setRotated(undefined)} />
        </Modal>
      )}
    </>
  );
}

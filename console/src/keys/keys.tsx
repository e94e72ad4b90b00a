/** API keys: create from presets, show once, rotate, revoke. */

import type { Row } from '../api/client.ts';
import { MayButton } from '../parts/act.tsx';
import { useFilters } from '../parts/filters.ts';
import { IconPlus } from '../parts/icons.ts';
import type { Column } from '../parts/list.tsx';
import { PageHead } from '../parts/page.tsx';
import { PagedList } from '../parts/paged-list.tsx';
import { Chip, Tags, Time } from '../parts/show.tsx';
import { Empty } from '../parts/states.tsx';
import { useHolder } from '../shell/session.tsx';
import { KeyActions } from './key-actions.tsx';
import { NewKey } from './new-key.tsx';

type Key = Row<'GET /v1/api-keys'>;

const COLUMNS: readonly Column<Key>[] = [
  {
    label: 'Name',
    show: ({ id, name, prefix, mode }) => (
      <>
        <strong>{name}</strong> {mode === 'test' && <Chip>test</Chip>} <OwnKey id={id} />
        <span className="under">
          <code>{prefix}…</code>
        </span>
      </>
    ),
  },
  { label: 'Type', narrow: true, show: ({ type }) => type },
  {
    label: 'Permissions',
    show: ({ permissions }) => <Tags of={permissions.map((one) => (one === '*' ? 'everything' : one))} />,
  },
  {
    label: 'From',
    show: ({ allowedIps }) => (allowedIps.length === 0 ? 'anywhere' : <Tags of={allowedIps} />),
  },
  { label: 'Last used', narrow: true, show: ({ lastUsedAt }) => <Time at={lastUsedAt} absent="never" /> },
  { label: 'Expires', narrow: true, show: ({ expiresAt }) => <Time at={expiresAt} absent="never" /> },
  { label: '', narrow: true, show: (key) => <KeyActions of={key} /> },
];

export default function KeysPage() {
  const { values, set } = useFilters();
  return (
    <>
      <PageHead
        title="API keys"
        lead="Who may call the API, and for what. A key is shown once, when it is created."
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
          of="GET /v1/api-keys"
          noun={['key', 'keys']}
          empty={<Empty title="No keys yet">Create one for each system, so that you can revoke them one by one.</Empty>}
          columns={COLUMNS}
        />
      </div>
      {values.new !== undefined && <NewKey onClose={() => set({ new: null })} />}
    </>
  );
}

/** Marks the key of this session. */
function OwnKey({ id }: { id: string }) {
  return useHolder().id === id && <Chip>this session</Chip>;
}

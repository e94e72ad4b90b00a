/** People who sign in: their roles, when they were last seen, and what each role may do. */

import type { Row } from '../api/client.ts';
import { useRead } from '../api/read.ts';
import { MayButton } from '../parts/act.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { FilterChoice } from '../parts/filter-fields.tsx';
import { useFilters } from '../parts/filters.ts';
import { IconLink } from '../parts/icons.ts';
import type { Column } from '../parts/list.tsx';
import { Facts, PageHead, Panel } from '../parts/page.tsx';
import { PagedList } from '../parts/paged-list.tsx';
import { Chip, Tags, Time } from '../parts/show.tsx';
import { Empty, Loaded } from '../parts/states.tsx';
import { useHolder } from '../shell/session.tsx';
import { NewLink } from './new-link.tsx';
import { ROLES } from './roles.ts';
import { UserActions } from './user-actions.tsx';

type User = Row<'GET /v1/users'>;

const COLUMNS: readonly Column<User>[] = [
  {
    label: 'Name',
    show: ({ id, name, email }) => (
      <>
        <strong>{name}</strong> <Oneself id={id} />
        {email !== null && <span className="under">{email}</span>}
      </>
    ),
  },
  { label: 'Role', narrow: true, show: ({ role }) => role ?? <Chip tone="denied">no role</Chip> },
  { label: 'Signs in', show: ({ issuer }) => (issuer === null ? 'by link' : new URL(issuer).host) },
  {
    label: 'State',
    narrow: true,
    show: ({ status }) => <Chip tone={status === 'active' ? 'allowed' : 'denied'}>{status}</Chip>,
  },
  { label: 'Last seen', narrow: true, show: ({ lastSeen }) => <Time at={lastSeen} absent="never" /> },
  { label: '', narrow: true, show: (user) => <UserActions of={user} /> },
];

export default function UsersPage() {
  const { values, set } = useFilters();
  const { role, status } = values;
  return (
    <>
      <PageHead
        title="Users"
        lead="People who sign in to the console, and what they may do. The audit log names them."
        actions={
          <MayButton
            permission="api_keys:manage"
            leftSection={<IconLink size={16} />}
            onClick={() => set({ new: '1' })}
          >
            Create a sign-in link
          </MayButton>
        }
      />
      <div className="filters" role="search">
        <FilterChoice name="role" label="Role" data={[...ROLES]} w={150} />
        <FilterChoice name="status" label="State" data={['active', 'suspended']} w={150} />
      </div>
      <div className="stack">
        <div className="panel">
          <PagedList
            caption="Users"
            of="GET /v1/users"
            filter={{ role, status }}
            noun={['user', 'users']}
            empty={
              <Empty title="No users yet">
                Create a sign-in link for each colleague, or connect your sign-in provider. Keys are for programs.
              </Empty>
            }
            columns={COLUMNS}
          />
        </div>
        <Roles />
      </div>
      {values.new !== undefined && (
        <Dialog onClose={() => set({ new: null })} title="Create a sign-in link">
          <NewLink onClose={() => set({ new: null })} />
        </Dialog>
      )}
    </>
  );
}

/** Marks the user of this session. */
function Oneself({ id }: { id: string }) {
  return useHolder().id === id && <Chip>you</Chip>;
}

function Roles() {
  const table = useRead('GET /v1/users/roles');
  return (
    <Panel title="Roles" lead="What people with each role may do.">
      <Loaded of={table} rows={4}>
        {({ roles }) => (
          <Facts
            of={Object.fromEntries(
              roles.map(({ name, description, permissions }) => [
                name,
                <>
                  {description}
                  <span className="under">
                    <Tags of={permissions.map((one) => (one === '*' ? 'everything' : one))} />
                  </span>
                </>,
              ]),
            )}
          />
        )}
      </Loaded>
    </Panel>
  );
}

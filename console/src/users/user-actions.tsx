/** The menu of a user: suspend, reinstate, delete. */
import { useState } from 'react';
import type { Row } from '../api/client.ts';
import { useWrite } from '../api/read.ts';
import { Confirm } from '../parts/act.tsx';
import { MoreMenu } from '../parts/more-menu.tsx';
import { notify, tell } from '../parts/notices.tsx';

export function UserActions({ of: user }: { of: Row<'GET /v1/users'> }) {
  const write = useWrite();
  const [dialog, setDialog] = useState<'suspend' | 'delete'>();
  const path = { id: user.id };
  const close = () => setDialog(undefined);
  const reinstate = () => tell(write('POST /v1/users/{id}/reinstate', { path }), `${user.name} may sign in again.`);
  const suspend = async () => {
    await write('POST /v1/users/{id}/suspend', { path });
    notify(`${user.name} is suspended.`);
  };
  const remove = async () => {
    await write('DELETE /v1/users/{id}', { path });
    notify(`${user.name} is deleted.`);
  };
  return (
    <>
      <MoreMenu
        of={`the user ${user.name}`}
        permission="api_keys:manage"
        small
        actions={[
          user.status === 'suspended'
            ? { label: 'Reinstate', onClick: reinstate }
            : { label: 'Suspend…', onClick: () => setDialog('suspend') },
          { label: 'Delete…', hurts: true, onClick: () => setDialog('delete') },
        ]}
      />
      {dialog === 'suspend' && (
        <Confirm title={`Suspend ${user.name}?`} action="Suspend" onClose={close} onConfirm={suspend}>
          All their sessions end at once, and they cannot sign in until you reinstate them.
        </Confirm>
      )}
      {dialog === 'delete' && (
        <Confirm title={`Delete ${user.name}?`} action="Delete" onClose={close} onConfirm={remove}>
          Their sessions end, and name and address are removed. To keep them out, suspend them instead: a provider that
          gives them a role signs them in again.
        </Confirm>
      )}
    </>
  );
}

/** The menu of a key: rotate or revoke it. */
import { useState } from 'react';
import type { Row } from '../api/client.ts';
import { useWrite } from '../api/read.ts';
import { Confirm } from '../parts/act.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { MoreMenu } from '../parts/more-menu.tsx';
import { notify } from '../parts/notices.tsx';
import { useHolder } from '../shell/session.tsx';
import { KeyText } from './key-text.tsx';

type Key = Row<'GET /v1/api-keys'>;

export function KeyActions({ of: key }: { of: Key }) {
  const [dialog, setDialog] = useState<'rotate' | 'revoke'>();
  const [rotated, setRotated] = useState<string>();
  const close = () => setDialog(undefined);
  const closeRotated = () => setRotated(undefined);
  return (
    <>
      <MoreMenu
        of={`the key ${key.name}`}
        permission="api_keys:manage"
        small
        actions={[
          { label: 'Rotate…', onClick: () => setDialog('rotate') },
          { label: 'Revoke…', hurts: true, onClick: () => setDialog('revoke') },
        ]}
      />
      {dialog === 'rotate' && <Rotate of={key} onClose={close} onRotated={setRotated} />}
      {dialog === 'revoke' && <Revoke of={key} onClose={close} />}
      {rotated !== undefined && (
        <Dialog onClose={closeRotated} title="The new key">
          <KeyText text={rotated} onDone={closeRotated} />
        </Dialog>
      )}
    </>
  );
}

interface DialogProps {
  of: Key;
  onClose: () => void;
}

function Rotate({
  of: { id, name },
  onClose,
  onRotated,
}: DialogProps & { onRotated: (text: string | undefined) => void }) {
  const write = useWrite();
  const rotate = async () => {
    const fresh = await write('POST /v1/api-keys/{id}/rotate', { path: { id }, body: { graceSeconds: 86_400 } });
    onRotated(fresh.key);
  };
  return (
    <Confirm title={`Rotate ${name}?`} action="Rotate" onClose={onClose} onConfirm={rotate}>
      A new key is created with the same permissions; the old one works for another day.
    </Confirm>
  );
}

function Revoke({ of: { id, name }, onClose }: DialogProps) {
  const write = useWrite();
  const own = useHolder().id === id;
  return (
    <Confirm
      title={`Revoke ${name}?`}
      typed={name}
      action="Revoke for good"
      onClose={onClose}
      onConfirm={() => write('DELETE /v1/api-keys/{id}', { path: { id } }).then(() => notify(`${name} is revoked.`))}
    >
      Requests with it are refused at once.{' '}
      {own && <strong>You are signed in with it: your session ends with it.</strong>}
    </Confirm>
  );
}

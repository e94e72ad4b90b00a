/** The rare actions on a webhook: edit, rotate its secret, disable, delete. */
import { useState } from 'react';
import { useLocation } from 'wouter';
import type { Answer } from '../api/client.ts';
import { useWrite } from '../api/read.ts';
import { Confirm } from '../parts/act.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { MoreMenu } from '../parts/more-menu.tsx';
import { notify, tell } from '../parts/notices.tsx';
import { Secret, WebhookForm } from './webhook-form.tsx';

type Webhook = Answer<'GET /v1/webhooks/{id}'>;

export const getHost = (url: string): string => (URL.canParse(url) ? new URL(url).host : url);

export function Actions({ webhook }: { webhook: Webhook }) {
  const write = useWrite();
  const [dialog, setDialog] = useState<'edit' | 'rotate' | 'delete'>();
  const [secret, setSecret] = useState<string>();
  const active = webhook.status === 'active';
  const close = () => setDialog(undefined);
  const toggle = () =>
    tell(
      write('PATCH /v1/webhooks/{id}', { path: { id: webhook.id }, body: { status: active ? 'disabled' : 'active' } }),
      active ? 'The webhook is disabled.' : 'The webhook is active.',
    );
  return (
    <>
      <MoreMenu
        of="this webhook"
        permission="webhooks:manage"
        actions={[
          { label: 'Edit', onClick: () => setDialog('edit') },
          { label: 'Rotate the secret…', onClick: () => setDialog('rotate') },
          { label: active ? 'Disable' : 'Enable', onClick: toggle },
          { label: 'Delete…', hurts: true, onClick: () => setDialog('delete') },
        ]}
      />
      {dialog === 'edit' && (
        <Dialog onClose={close} title="Edit the webhook">
          <WebhookForm webhook={webhook} onDone={close} onCancel={close} />
        </Dialog>
      )}
      {dialog === 'rotate' && <RotateSecret id={webhook.id} onClose={close} onRotated={setSecret} />}
      {dialog === 'delete' && <Delete webhook={webhook} onClose={close} />}
      {secret !== undefined && (
        <Dialog onClose={() => setSecret(undefined)} title="The new secret">
          <Secret text={secret} onDone={() => setSecret(undefined)} />
        </Dialog>
      )}
    </>
  );
}

interface RotateSecretProps {
  id: string;
  onClose: () => void;
  onRotated: (secret: string | undefined) => void;
}

function RotateSecret({ id, onClose, onRotated }: RotateSecretProps) {
  const write = useWrite();
  return (
    <Confirm
      title="Rotate the secret?"
      action="Rotate"
      onClose={onClose}
      onConfirm={async () => onRotated((await write('POST /v1/webhooks/{id}/rotate-secret', { path: { id } })).secret)}
    >
      For a day deliveries are signed with both, the old one and the new one.
    </Confirm>
  );
}

function Delete({ webhook: { id, url }, onClose }: { webhook: Webhook; onClose: () => void }) {
  const write = useWrite();
  const [, go] = useLocation();
  return (
    <Confirm
      title="Delete the webhook?"
      typed={getHost(url)}
      action="Delete for good"
      onClose={onClose}
      onConfirm={() =>
        write('DELETE /v1/webhooks/{id}', { path: { id } }, () => go('/webhooks')).then(() =>
          notify('The webhook is deleted.'),
        )
      }
    >
      Its deliveries are deleted with it.
    </Confirm>
  );
}

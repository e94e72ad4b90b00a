/** The actions on a license: edit, renew, suspend, revoke. */
import { useState } from 'react';
import { useWrite } from '../api/read.ts';
import { Confirm } from '../parts/act.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { MoreMenu } from '../parts/more-menu.tsx';
import { notify, tell } from '../parts/notices.tsx';
import { countsWords, type License } from '../requesters/types.ts';
import { LicenseForm } from './license-form.tsx';
import { renewedEnd } from './term.ts';

type Dialog = 'edit' | 'renew' | 'revoke';

export function LicenseActions({ license }: { license: License }) {
  const write = useWrite();
  const [dialog, setDialog] = useState<Dialog>();
  const path = { id: license.id };
  const suspended = license.status === 'suspended';
  const toggle = () =>
    tell(
      write('PATCH /v1/licenses/{id}', { path, body: { status: suspended ? 'active' : 'suspended' } }),
      suspended
        ? `The license is active again. ${countsWords({ ...license, status: 'active' })}`
        : 'The license is suspended.',
    );
  const close = () => setDialog(undefined);
  return (
    <>
      <MoreMenu
        of={`the license ${license.type} of ${license.requesterId}`}
        permission="requesters:write"
        small
        actions={[
          { label: 'Edit', onClick: () => setDialog('edit') },
          { label: 'Renew for a year', disabled: license.expiresAt === null, onClick: () => setDialog('renew') },
          { label: suspended ? 'Make active again' : 'Suspend', onClick: toggle },
          { label: 'Revoke…', hurts: true, onClick: () => setDialog('revoke') },
        ].map((action) => ({ ...action, disabled: action.disabled === true || license.status === 'revoked' }))}
      />
      {(dialog === 'edit' || dialog === 'renew') && (
        <Dialog onClose={close} title={dialog === 'edit' ? 'Edit the license' : 'Renew the license'}>
          <LicenseForm
            requesterId={license.requesterId}
            license={dialog === 'renew' ? renew(license) : license}
            onDone={close}
            onCancel={close}
          />
        </Dialog>
      )}
      {dialog === 'revoke' && (
        <Confirm
          title="Revoke the license for good?"
          action="Revoke for good"
          onClose={close}
          onConfirm={() =>
            write('POST /v1/licenses/{id}/revoke', { path }).then(() =>
              notify('The license is revoked; the next check does not see it.'),
            )
          }
        >
          The license {license.type} of {license.requesterId} ends at once. It cannot be restored; a new license can be
          created.
        </Confirm>
      )}
    </>
  );
}

const renew = (license: License): License => ({
  ...license,
  expiresAt: license.expiresAt === null ? null : renewedEnd(license.expiresAt),
});

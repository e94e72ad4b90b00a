/** The actions on a license: edit, renew, suspend, revoke. */
import { Button, Menu, Modal } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import { useState } from 'react';
import { useWrite } from '../api/read.ts';
import { Confirm } from '../parts/act.tsx';
import { notify, tell } from '../parts/notices.tsx';
import { lacking, useMay } from '../shell/session.tsx';
import { LicenseForm } from './license-form.tsx';
import { renewedEnd } from './term.ts';
import type { License } from './types.ts';

type Dialog = 'edit' | 'renew' | 'revoke';

export function LicenseActions({ license }: { license: License }) {
  const write = useWrite();
  const [dialog, setDialog] = useState<Dialog>();
  const path = { id: license.id };
  const suspended = license.status === 'suspended';
  const toggle = () =>
    tell(
      write('PATCH /v1/licenses/{id}', { path, body: { status: suspended ? 'active' : 'suspended' } }),
      suspended ? 'The license counts again.' : 'The license is suspended.',
    );
  const close = () => setDialog(undefined);
  return (
    <>
      <ActionMenu license={license} onChoose={setDialog} onSuspend={toggle} />
      {(dialog === 'edit' || dialog === 'renew') && (
        <Modal opened onClose={close} title={dialog === 'edit' ? 'Edit the license' : 'Renew the license'}>
          <LicenseForm
            requesterId={license.requesterId}
            license={dialog === 'renew' ? renew(license) : license}
            onDone={close}
            onCancel={close}
          />
        </Modal>
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

interface ActionMenuProps {
  license: License;
  onChoose: (dialog: Dialog) => void;
  onSuspend: () => void;
}

function ActionMenu({ license, onChoose, onSuspend }: ActionMenuProps) {
  const may = useMay('policies:write');
  const fixed = !may || license.status === 'revoked';
  return (
    <Menu position="bottom-end" shadow="md">
      <Menu.Target>
        <Button
          variant="subtle"
          color="gray"
          size="compact-sm"
          px={6}
          aria-label={`More to do with the license ${license.type} of ${license.requesterId}`}
        >
          <IconDots size={16} />
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {!may && <Menu.Label>{lacking('policies:write')}</Menu.Label>}
        <Menu.Item disabled={fixed} onClick={() => onChoose('edit')}>
          Edit
        </Menu.Item>
        <Menu.Item disabled={fixed || license.expiresAt === null} onClick={() => onChoose('renew')}>
          Renew for a year
        </Menu.Item>
        <Menu.Item disabled={fixed} onClick={onSuspend}>
          {license.status === 'suspended' ? 'Make active again' : 'Suspend'}
        </Menu.Item>
        <Menu.Item disabled={fixed} color="red" onClick={() => onChoose('revoke')}>
          Revoke…
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

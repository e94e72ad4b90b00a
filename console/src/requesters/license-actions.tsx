/** What can be done with a licence: edit, renew, suspend, revoke. */
import { Button, Menu, Modal } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import { useState } from 'react';
import { useWrite } from '../api/read.ts';
import { Confirm } from '../parts/act.tsx';
import { told, toldFailed } from '../parts/notices.tsx';
import { lacking, useMay } from '../shell/session.tsx';
import { LicenseForm } from './license-form.tsx';
import type { License } from './types.ts';

const YEAR_MS = 365 * 86_400_000;

export function LicenseActions({ license }: { license: License }) {
  const write = useWrite();
  const may = useMay('policies:write');
  const [doing, setDoing] = useState<'edit' | 'renew' | 'revoke'>();
  const path = { id: license.id };
  const suspended = license.status === 'suspended';
  const turn = () =>
    write('PATCH /v1/licenses/{id}', { path, body: { status: suspended ? 'active' : 'suspended' } }).then(
      () => told(suspended ? 'The licence counts again.' : 'The licence is suspended.'),
      toldFailed,
    );
  const renewed = {
    ...license,
    expiresAt: new Date(Math.max(Date.now(), Date.parse(license.expiresAt ?? '') || 0) + YEAR_MS).toISOString(),
  };
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
            aria-label={`More to do with the licence ${license.type} of ${license.requesterId}`}
          >
            <IconDots size={16} />
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {!may && <Menu.Label>{lacking('policies:write')}</Menu.Label>}
          <Menu.Item disabled={!may || license.status === 'revoked'} onClick={() => setDoing('edit')}>
            Edit
          </Menu.Item>
          <Menu.Item
            disabled={!may || license.status === 'revoked' || license.expiresAt === null}
            onClick={() => setDoing('renew')}
          >
            Renew for a year
          </Menu.Item>
          <Menu.Item disabled={!may || license.status === 'revoked'} onClick={turn}>
            {suspended ? 'Make active again' : 'Suspend'}
          </Menu.Item>
          <Menu.Item disabled={!may || license.status === 'revoked'} color="red" onClick={() => setDoing('revoke')}>
            Revoke…
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {(doing === 'edit' || doing === 'renew') && (
        <Modal opened onClose={done} title={doing === 'edit' ? 'Edit the licence' : 'Renew the licence'}>
          <LicenseForm
            requesterId={license.requesterId}
            license={doing === 'renew' ? renewed : license}
            onDone={done}
            onCancel={done}
          />
        </Modal>
      )}
      {doing === 'revoke' && (
        <Confirm
          title="Revoke the licence for good?"
          action="Revoke for good"
          onClose={done}
          onConfirm={() =>
            write('POST /v1/licenses/{id}/revoke', { path }).then(() =>
              told('The licence is revoked; the next check does not see it.'),
            )
          }
        >
          The licence {license.type} of {license.requesterId} ends at once and cannot be given back; a new one can.
        </Confirm>
      )}
    </>
  );
}

/** The menu of the account: who signed in, with which permissions, and out. */
import { Menu } from '@mantine/core';
import type { Ref } from 'react';
import { IconLogout } from '../parts/icons.ts';
import { AccountButton } from './account-button.tsx';
import { useSession } from './session.tsx';

interface AccountMenuProps {
  button: Ref<HTMLButtonElement>;
  opened: boolean;
  onChange: (opened: boolean) => void;
  onSignOut: () => void;
}

export default function AccountMenu({ button, opened, onChange, onSignOut }: AccountMenuProps) {
  const { user, permissions } = useSession();
  return (
    <Menu opened={opened} onChange={onChange} position="top-start" width={220} shadow="md">
      <Menu.Target>
        <AccountButton ref={button} />
      </Menu.Target>
      <Menu.Dropdown>
        {user?.email != null && <Menu.Label>{user.email}</Menu.Label>}
        <Menu.Label>{permissions.join(', ')}</Menu.Label>
        <Menu.Item leftSection={<IconLogout size={16} />} onClick={onSignOut}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

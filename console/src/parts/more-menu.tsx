/** The menu of rare actions on a record; without the permission, disabled with the reason. */
import { Button, Menu } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { lacking, type Permission, useMay } from '../shell/session.tsx';

export interface MoreAction {
  label: string;
  icon?: ReactNode;
  /** The action is irreversible. */
  hurts?: boolean;
  disabled?: boolean;
  onClick: () => void;
}

interface MoreMenuProps {
  /** The object, as in "this item". */
  of: string;
  permission: Permission;
  actions: MoreAction[];
}

export function MoreMenu({ of, permission, actions }: MoreMenuProps) {
  const may = useMay(permission);
  return (
    <Menu position="bottom-end" shadow="md">
      <Menu.Target>
        <Button variant="default" px="xs" aria-label={`More to do with ${of}`}>
          <IconDots size={18} />
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {!may && <Menu.Label>{lacking(permission)}</Menu.Label>}
        {actions.map(({ label, icon, hurts = false, disabled = false, onClick }) => (
          <Menu.Item
            key={label}
            leftSection={icon}
            disabled={!may || disabled}
            onClick={onClick}
            {...(hurts ? { color: 'red' } : {})}
          >
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

/** The menu of rare actions on a record; without the permission, disabled with the reason. */
import { Button, Menu } from '@mantine/core';
import type { ReactNode } from 'react';
import { lacking, type Permission, useMay } from '../shell/session.tsx';
import { IconDots } from './icons.ts';

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
  /** Without it, all actions are disabled. */
  permission: Permission;
  actions: MoreAction[];
  /** In the row of a list. */
  small?: boolean;
}

export function MoreMenu({ of, permission, actions, small = false }: MoreMenuProps) {
  const may = useMay(permission);
  const look = small ? ({ variant: 'subtle', color: 'gray', size: 'compact-sm', px: 6 } as const) : { px: 'xs' };
  return (
    <Menu position="bottom-end" shadow="md">
      <Menu.Target>
        <Button variant="default" {...look} aria-label={`More to do with ${of}`}>
          <IconDots size={small ? 16 : 18} />
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
            {...(hurts ? { color: 'var(--mantine-color-error)' } : {})}
          >
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

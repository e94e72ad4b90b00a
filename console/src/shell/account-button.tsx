/** The button that opens the menu of the account: who signed in, and with what. */
import { UnstyledButton } from '@mantine/core';
import type { ComponentProps } from 'react';
import { IconSelector } from '../parts/icons.ts';
import { useHolder, useSession } from './session.tsx';

export function AccountButton(props: ComponentProps<'button'>) {
  const { user, key } = useSession();
  const { name } = useHolder();
  return (
    <UnstyledButton className="account" aria-haspopup="menu" {...props}>
      <span>
        <strong>{name}</strong>
        <small>{user?.role ?? describe(key?.permissions ?? [])}</small>
      </span>
      <IconSelector size={16} />
    </UnstyledButton>
  );
}

function describe(permissions: readonly string[]): string {
  if (permissions.includes('*')) return 'may do everything';
  return `${permissions.length} ${permissions.length === 1 ? 'permission' : 'permissions'}`;
}

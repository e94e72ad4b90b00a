/** The session: its key and permissions. */
import { createContext, type ReactNode, useContext } from 'react';
import type { KEY_PERMISSIONS } from '../../../client/src/generated/vocabularies.ts';
import type { Session } from '../api/client.ts';

export type Permission = Exclude<(typeof KEY_PERMISSIONS)[number], '*'>;

const SessionContext = createContext<Session | undefined>(undefined);

export function SessionProvider({ session, children }: { session: Session; children: ReactNode }) {
  return <SessionContext value={session}>{children}</SessionContext>;
}

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === undefined) throw new Error('no session');
  return session;
}

export const holds = ({ permissions }: Session, permission: Permission): boolean =>
  permissions.includes('*') || permissions.includes(permission);

export function useMay(permission: Permission): boolean {
  return holds(useSession(), permission);
}

/** Returns whether the session may take an action that public keys may not. */
export function useMayInSecret(permission: Permission): boolean {
  return useMay(permission) && useSession().key.type === 'secret';
}

/** Returns why an action is unavailable. */
export const lacking = (permission: Permission): string => `Your key does not hold the permission ${permission}.`;

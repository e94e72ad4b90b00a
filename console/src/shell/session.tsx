/** Whose key the console works with, and what it may do. */
import { createContext, type ReactNode, useContext } from 'react';
import type { Session } from '../api/client.ts';

export type Permission =
  | 'content:read'
  | 'content:write'
  | 'policies:read'
  | 'policies:write'
  | 'access:check'
  | 'analytics:read'
  | 'webhooks:manage'
  | 'api_keys:manage';

const SessionContext = createContext<Session | undefined>(undefined);

export function SessionProvider({ session, children }: { session: Session; children: ReactNode }) {
  return <SessionContext value={session}>{children}</SessionContext>;
}

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === undefined) throw new Error('nobody is signed in');
  return session;
}

export const holds = ({ key }: Session, permission: Permission): boolean =>
  key.permissions.includes('*') || key.permissions.includes(permission);

export function useMay(permission: Permission): boolean {
  return holds(useSession(), permission);
}

/** Why something is not to be had. */
export const lacking = (permission: Permission): string => `Your key does not hold the permission ${permission}.`;

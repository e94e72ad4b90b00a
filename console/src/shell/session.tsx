/** The session: its user or key, and its permissions. */
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

/** Returns the user or the key that is signed in. */
export function useHolder(): { id: string; name: string } {
  const { user, key } = useSession();
  return user ?? key ?? { id: '', name: '' };
}

export const holds = ({ permissions }: Session, permission: Permission): boolean =>
  permissions.includes('*') || permissions.includes(permission);

export interface Opening {
  /** The permission that the page requires. */
  permission: Permission;
  /** Viewers and public keys may not open it. */
  secret?: true;
}

/** Returns whether the session may open a page. */
export const mayOpen = (session: Session, { permission, secret }: Opening): boolean =>
  holds(session, permission) && !(secret === true && session.readOnly);

export function useMay(permission: Permission): boolean {
  return holds(useSession(), permission);
}

/** Returns whether the session may take an action that public keys and viewers may not. */
export function useMayInSecret(permission: Permission): boolean {
  return useMay(permission) && !useSession().readOnly;
}

/** Returns why an action is unavailable. */
export const lacking = (permission: Permission): string => `You do not hold the permission ${permission}.`;

/** A person who signs in to the console. The role decides what they may do. */
import type { Grant } from '../keys/grant.ts';
import { ROLES, type Role } from '../permissions.ts';

export const USER_STATUSES = ['active', 'suspended'] as const;
export type UserStatus = (typeof USER_STATUSES)[number];

/** The issuer of people who sign in by link; their subject is their name. */
export const BY_LINK = '';

export interface User {
  id: string;
  /** The provider, or BY_LINK. */
  issuer: string;
  /** The provider's name for the person. */
  subject: string;
  name: string;
  email: string | null;
  /** null: the provider no longer gives the person a role. */
  role: Role | null;
  status: UserStatus;
  lastSeenAt: number | null;
  createdAt: number;
  updatedAt: number;
}

export const isUserId = (id: string): boolean => id.startsWith('usr_');

/** The rights of a role, as those of keys: from any address, without an end. */
export const grantForRole = (role: Role | null): Grant => ({
  permissions: role === null ? [] : ROLES[role].permissions,
  allowedIps: [],
  expiresAt: null,
});

/** A policy as publishers write it: ordered rules and the action when no rule matches. */
import type { LimitPeriod } from './limit.ts';

export const ACTIONS = ['allow', 'deny'] as const;
export type Action = (typeof ACTIONS)[number];

/** The scopes within which a rule's rate limit counts admissions together. */
export const SCOPES = ['requester', 'content', 'collection', 'global'] as const;
export type Scope = (typeof SCOPES)[number];

export interface Rule {
  action: Action;
  priority?: number;
  conditions?: Record<string, unknown>;
  permissions?: string[];
  rateLimit?: { requests: number; period: LimitPeriod; scope?: Scope };
  message?: string;
}

/** A version of a policy, with the policy's number in the store. */
export interface PolicyVersion {
  no: number;
  id: string;
  version: number;
  name: string;
  description: string | null;
  rules: Rule[];
  defaultAction: Action;
}

/** The current version, with what belongs to the policy itself. */
export interface Policy extends PolicyVersion {
  isDefault: boolean;
  createdAt: number;
  updatedAt: number;
}

export const DEFAULT_POLICY_ID = 'pol_default';
export const POLICY_PREFIX = 'pol_';

/** Permissions with a defined meaning; others of the same form are accepted. */
export const GRANTS = [
  'full_access',
  'preview_only',
  'metadata_only',
  'commercial_use',
  'training',
  'fine_tuning',
  'inference',
  'redistribution',
] as const;

/** The permissions of an allow rule that lists none. */
export const DEFAULT_GRANT: readonly string[] = ['full_access'];

/** Full access implies access to a part, never a right of use. */
const IMPLIED_BY_FULL_ACCESS = new Set(['preview_only', 'metadata_only']);

export function grants(permissions: readonly string[], wanted: string): boolean {
  return permissions.includes(wanted) || (IMPLIED_BY_FULL_ACCESS.has(wanted) && permissions.includes('full_access'));
}

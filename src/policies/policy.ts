/** A policy as publishers write it: ordered rules and what happens when none of them holds. */
import type { Period } from '../limits/limit.ts';

export const ACTIONS = ['allow', 'deny'] as const;
export type Action = (typeof ACTIONS)[number];

/** Whose admissions a rule's rate limit counts together. */
export const SCOPES = ['requester', 'content', 'global'] as const;
export type Scope = (typeof SCOPES)[number];

export interface Rule {
  action: Action;
  priority?: number;
  conditions?: Record<string, unknown>;
  permissions?: string[];
  rateLimit?: { requests: number; period: Period; scope?: Scope };
  message?: string;
}

/** One version of a policy with its number in the store. */
export interface PolicyVersion {
  no: number;
  id: string;
  version: number;
  name: string;
  description: string | null;
  rules: Rule[];
  defaultAction: Action;
}

/** The policy as it is now. */
export interface Policy extends PolicyVersion {
  isDefault: boolean;
  createdAt: number;
  updatedAt: number;
}

export const DEFAULT_POLICY_ID = 'pol_default';
export const POLICY_PREFIX = 'pol_';

/** Permission values with a meaning of their own; others of the form are accepted. */
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

/** What an allow grants when it lists nothing. */
export const DEFAULT_GRANT: readonly string[] = ['full_access'];

/** Seeing the whole implies seeing a part; it never implies a right of use. */
const IMPLIED_BY_FULL_ACCESS = new Set(['preview_only', 'metadata_only']);

export function grants(permissions: readonly string[], wanted: string): boolean {
  return permissions.includes(wanted) || (IMPLIED_BY_FULL_ACCESS.has(wanted) && permissions.includes('full_access'));
}

/** A right that a requester holds for a time, for some items or for all. */
import { isValid, type LicenseFacts, type LicenseScope } from '../policies/facts.ts';

export const LICENSE_STATUSES = ['active', 'suspended', 'revoked'] as const;
export type LicenseStatus = (typeof LICENSE_STATUSES)[number];

export interface License {
  id: string;
  requesterId: string;
  type: string;
  features: string[];
  /** null: everything. */
  scope: LicenseScope | null;
  startsAt: number | null;
  expiresAt: number | null;
  status: LicenseStatus;
  metadata: Record<string, unknown>;
  createdAt: number;
  updatedAt: number;
}

export const LICENSE_PREFIX = 'lic_';

export const toLicenseFacts = (license: License): LicenseFacts => ({
  id: license.id,
  type: license.type,
  features: license.features,
  startsAt: license.startsAt,
  expiresAt: license.expiresAt,
  active: license.status === 'active',
  scope: license.scope,
});

/** Active and within its time, whatever it is for. */
export const isValidNow = (license: License, at: number): boolean => isValid(toLicenseFacts(license), at);

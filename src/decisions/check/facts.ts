/** The facts that a check makes of its ask and its subject, at one time. */

import { parseIso } from '../../lib/clock.ts';
import { Facts, type LicenseFacts, type Place } from '../../rules/facts.ts';
import type { Subject } from '../snapshot/subject.ts';
import type { AskedLicense } from './ask.ts';
import type { CheckRequest } from './schema.ts';

/** The fields of a check beyond its ids. The ledger keeps them with the decision. */
export type Inputs = Pick<CheckRequest, 'permission' | 'purpose' | 'context' | 'urls'> & { license?: AskedLicense };

export function toFacts(
  { content, page, place, requester }: Omit<Subject, 'policy'> & { place?: Place },
  requesterId: string | undefined | null,
  inputs: Inputs,
  at: number,
): Facts {
  const { context = {} } = inputs;
  return new Facts({
    at,
    content,
    page,
    place,
    requesterId: requesterId ?? null,
    requester: requester.facts,
    permission: inputs.permission ?? null,
    purpose: inputs.purpose ?? null,
    country: context.country ?? null,
    ip: context.ip ?? null,
    ipUnreadable: context.ipUnreadable,
    userAgent: context.userAgent ?? null,
    verified: context.verified,
    crawlerVerified: context.crawlerVerified,
    attributes: context.attributes,
    licenses: inputs.license === undefined ? requester.licenses : usable(requester.licenses, inputs.license),
  });
}

function usable(held: readonly LicenseFacts[], license: AskedLicense): readonly LicenseFacts[] {
  return 'id' in license ? held.filter(({ id }) => id === license.id) : [...held, vouched(license)];
}

const vouched = (license: NonNullable<CheckRequest['license']>): LicenseFacts => ({
  id: null,
  type: license.type,
  features: license.features ?? [],
  startsAt: null,
  expiresAt: license.expiresAt == null ? null : (parseIso(license.expiresAt) ?? null),
  active: true,
  scope: null,
});

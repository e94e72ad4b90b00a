/** What a check is decided on: the item, its policy, who asks; and these with the request as the facts of one moment. */
import { parseMoment } from '../http/formats.ts';
import type { CompiledPolicy } from '../policies/compile.ts';
import { type ContentFacts, Facts, type LicenseFacts } from '../policies/facts.ts';
import type { CheckRequest } from './schema.ts';
import type { KnownRequester } from './snapshot.ts';

export interface Subject {
  content: ContentFacts;
  policy: CompiledPolicy;
  requester: KnownRequester;
}

/** What a check says beyond its ids; the ledger keeps it with the decision. */
export type Asked = Pick<CheckRequest, 'permission' | 'purpose' | 'context' | 'license'>;

export const ANONYMOUS: KnownRequester = { facts: null, licenses: [] };

export function factsOf(
  { content, requester }: Omit<Subject, 'policy'>,
  requesterId: string | undefined | null,
  asked: Asked,
  at: number,
): Facts {
  return new Facts({
    at,
    content,
    requesterId: requesterId ?? null,
    requester: requester.facts,
    permission: asked.permission ?? null,
    purpose: asked.purpose ?? null,
    country: asked.context?.country ?? null,
    ip: asked.context?.ip ?? null,
    userAgent: asked.context?.userAgent ?? null,
    licenses: asked.license === undefined ? requester.licenses : [...requester.licenses, vouched(asked.license)],
  });
}

const vouched = (license: NonNullable<Asked['license']>): LicenseFacts => ({
  id: null,
  type: license.type,
  features: license.features ?? [],
  startsAt: null,
  expiresAt: license.expiresAt == null ? null : (parseMoment(license.expiresAt) ?? null),
  active: true,
  scope: null,
});

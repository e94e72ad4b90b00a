/** May a partner have this? Up to a thousand dry runs as itself, verified by its token. Nothing is recorded. */
import { type Static, Type } from 'typebox';
import { Failure, fail } from '../../api/errors.ts';
import type { PartnerCaller } from '../../api/http/auth.ts';
import { listSchema } from '../../api/http/list.ts';
import { caught, lazyCheck, validItem } from '../../api/http/validate.ts';
import { type Ask, accept } from '../../decisions/check/ask.ts';
import { type CheckDeps, checkAll } from '../../decisions/check/check.ts';
import { CheckError, CheckRequest } from '../../decisions/check/schema.ts';
import { openExplainer } from '../../decisions/explain/explain.ts';
import type { Decision, Remedy } from '../../decisions/ledger/decision.ts';
import { decisionProperties } from '../../decisions/log/schema.ts';
import { orNull } from '../../lib/nullable.ts';
import { mapInSlices } from '../../lib/slices.ts';
import { OfferedSchema } from '../../requesters/offers/schema.ts';
import { VERIFIED_KINDS } from '../../rules/facts.ts';
import { openScopes } from './decisions.ts';

const { contentId, url, permission, purpose } = CheckRequest.properties;
const OwnCheck = Type.Object(
  { contentId, url, permission, purpose },
  { additionalProperties: false, oneRequired: ['contentId', 'url'], title: 'PartnerCheck' },
);
type OwnCheck = Static<typeof OwnCheck>;
const isOwnCheck = lazyCheck(OwnCheck);

export const OwnAccess = Type.Object(
  { checks: Type.Array(Type.Unknown({ entry: OwnCheck }), { minItems: 1, maxItems: 1000 }) },
  { additionalProperties: false, itemsApart: 'checks', title: 'PartnerChecks' },
);

const { allowed, reason, message, permissions, licenseId, rateLimit, quota, enforced, created } = decisionProperties;

const OwnRemedy = Type.Union(
  [
    Type.Object({
      kind: Type.Literal('license'),
      licenseType: orNull(Type.Array(Type.String()), 'Any of these; null: any type'),
      licenseFeatures: Type.Array(Type.String(), { description: 'All of these' }),
      offers: Type.Optional(
        Type.Array(OfferedSchema, { description: 'Offers of such licenses; each would have turned the denial' }),
      ),
    }),
    Type.Object({ kind: Type.Literal('permission'), permissions: Type.Array(Type.String()) }),
    Type.Object({
      kind: Type.Literal('verification'),
      verified: Type.Array(Type.Enum([...VERIFIED_KINDS]), {
        description: 'Ways to prove your name, any of which would do',
      }),
    }),
    Type.Object({ kind: Type.Literal('wait'), until: Type.String() }),
    Type.Object({
      kind: Type.Literal('amend'),
      licenseId: Type.String({ description: 'The license whose terms include no more units' }),
    }),
  ],
  { title: 'PartnerRemedy' },
);
type OwnRemedy = Static<typeof OwnRemedy>;

const AccessAnswer = Type.Object(
  {
    object: Type.Literal('partner_access'),
    contentId: Type.Optional(Type.String({ description: 'As it was asked for' })),
    url: Type.Optional(Type.String({ description: 'As it was asked for' })),
    allowed,
    reason,
    message,
    permissions,
    licenseId,
    rateLimit,
    quota,
    enforced,
    remedies: Type.Array(OwnRemedy, { description: 'What would turn the denial' }),
    created,
  },
  { title: 'PartnerAccess', description: 'Whether the partner may have something now' },
);
export const AccessPage = listSchema(Type.Union([AccessAnswer, CheckError]), 'PartnerAccessList');

/** Returns the answers in the order of the checks. */
export async function checkOwnAccess(deps: CheckDeps, caller: PartnerCaller, checks: readonly unknown[]) {
  const entries = await mapInSlices(checks, readEntry);
  const asks = await mapInSlices(entries, (entry) => (entry instanceof Failure ? entry : toAsk(deps, caller, entry)));
  const decisions = await checkAll(deps, asks, {
    caller,
    grounds: { readAt: 0 },
    explainer: openExplainer(caller, 'checks', {}, await deps.offers.read()),
  });
  const shared = await openScopes(deps.db).ofAll(decisions.filter((one): one is Decision => !(one instanceof Failure)));
  return mapInSlices(decisions, (decision, i) =>
    decision instanceof Failure
      ? { error: forPartner(decision).toError() }
      : toAnswer(decision, entries[i] as OwnCheck, shared),
  );
}

const readEntry = (entry: unknown): OwnCheck | Failure => caught(() => validItem(OwnCheck, isOwnCheck, entry, 'check'));

const toAsk = (deps: CheckDeps, caller: PartnerCaller, entry: OwnCheck): Ask | Failure =>
  caught(() => {
    const request = { ...entry, requesterId: caller.requesterId, explain: true, dryRun: true };
    return { ...accept({ caller, now: deps.ledger.now, dry: false }, request), context: { verified: 'token' } };
  });

/** Advice for publishers is not for partners. */
const forPartner = (failure: Failure): Failure =>
  failure.code === 'content_not_found'
    ? fail('content_not_found', 'The publisher has registered nothing under this id or address.')
    : failure;

const toAnswer = (decision: Decision, entry: OwnCheck, shared: ReadonlySet<Decision>) => ({
  object: 'partner_access' as const,
  ...(entry.contentId === undefined ? {} : { contentId: entry.contentId }),
  ...(entry.url === undefined ? {} : { url: entry.url }),
  allowed: decision.allowed,
  reason: decision.reason,
  message: decision.message,
  permissions: [...decision.permissions],
  licenseId: decision.licenseId,
  rateLimit: shared.has(decision) ? null : decision.rateLimit,
  quota: decision.quota,
  enforced: decision.enforced,
  remedies: toOwnRemedies(decision.remedies ?? []),
  created: decision.created,
});

/** Which rule asks for a license is the publisher's own matter. */
function toOwnRemedies(remedies: readonly Remedy[]): OwnRemedy[] {
  const own = remedies.flatMap((remedy): OwnRemedy[] => {
    // A partner is verified by its token.
    if (remedy.kind === 'verification') return [];
    if (remedy.kind !== 'license') return [remedy];
    const { licenseType, licenseFeatures, offers } = remedy;
    return [{ kind: 'license', licenseType, licenseFeatures, ...(offers === undefined ? {} : { offers }) }];
  });
  return [...new Map(own.map((remedy) => [JSON.stringify(remedy), remedy])).values()];
}

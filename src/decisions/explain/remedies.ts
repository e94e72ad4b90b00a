/**
 * Remedies: changes that would turn a denial into an allow. Each was tried by deciding the same check again with it,
 * so none is offered that would not help. Combinations are not tried.
 */

import { toIso } from '../../lib/clock.ts';
import { type Offered, toOffered } from '../../requesters/offers/offer.ts';
import { NO_OFFERS, type OffersAt } from '../../requesters/offers/price-list.ts';
import type { CompiledPolicy } from '../../rules/compile.ts';
import type { WantedLicense } from '../../rules/conditions/license-keys.ts';
import { decide, type Evaluation, type Verdict } from '../../rules/decide.ts';
import { Facts, type LicenseFacts, type VerifiedKind } from '../../rules/facts.ts';
import { DEFAULT_GRANT } from '../../rules/policy.ts';
import { toWanted } from '../ledger/codes.ts';
import type { RuleRemedy } from '../ledger/decision.ts';

/** Times tried for `wait`, the nearest first. */
const TIMES_MAX = 20;

/** Licenses, permissions and times tried for one denial; later ones are not offered. */
const TRIES_MAX = 2_000;

/** Offers in one remedy. */
const OFFERS_MAX = 20;

/**
 * Returns none for an allowed check; the ledger adds those for a used-up limit or quota. `onTry` may throw to stop.
 * `proofs` are the ways in which the visitor could prove its name.
 */
export function remediesFor(
  evaluation: Evaluation,
  onTry: () => void = () => {},
  proofs: readonly VerifiedKind[] = [],
  offers: OffersAt = NO_OFFERS,
): RuleRemedy[] {
  const { policy, facts, verdict } = evaluation;
  if (verdict.reason === null) return [];
  const allows = trying(evaluation, TRIES_MAX, onTry);
  return [
    ...licenses(policy, facts, verdict, allows).map((remedy) => withOffers(remedy, facts, offers, allows)),
    ...verifications(facts, proofs, allows),
    ...permissions(verdict, allows),
    ...waits(policy, facts, allows),
  ];
}

/** Returns the licenses that would turn a denial, of at most so many types tried. */
export const licenseRemedies = (evaluation: Evaluation, triesMax: number): LicenseRemedy[] =>
  licenses(evaluation.policy, evaluation.facts, evaluation.verdict, trying(evaluation, triesMax));

type LicenseRemedy = Extract<RuleRemedy, { kind: 'license' }>;

/** Returns a function that decides again with changed facts; after `triesMax` changes, none helps. */
function trying({ policy, facts }: Evaluation, triesMax: number, onTry: () => void = () => {}): Allows {
  let tries = 0;
  return (changed) => {
    if (tries === triesMax) return false;
    tries++;
    onTry();
    return decide(policy, withFacts(facts, changed)).reason === null;
  };
}

type Allows = (changed: Partial<Facts>) => boolean;

const withFacts = (facts: Facts, changed: Partial<Facts>): Facts =>
  new Facts({
    at: changed.at ?? facts.at,
    content: facts.content,
    page: facts.page ?? undefined,
    requesterId: facts.requesterId,
    requester: facts.requester,
    permission: changed.permission ?? facts.permission,
    purpose: facts.purpose,
    country: facts.country,
    ip: facts.ip,
    ipUnreadable: facts.ipUnreadable,
    userAgent: facts.userAgent,
    verified: changed.verified ?? facts.verified ?? undefined,
    crawlerVerified: changed.crawlerVerified ?? facts.crawlerVerified,
    attributes: facts.attributes ?? undefined,
    licenses: changed.licenses ?? facts.licenses,
  });

/** Tries one more license of the kind that a rule requires, to match or to no longer deny. */
function licenses(policy: CompiledPolicy, facts: Facts, verdict: Verdict, allows: Allows): LicenseRemedy[] {
  return policy.rules.flatMap((rule): LicenseRemedy[] => {
    const need = rule.index === verdict.rule?.index ? rule.licenseLacking : rule.licenseNeed?.wanted;
    if (!need || rule.licenseNeed?.missesOnlyLicense(facts) === false) return [];
    const { types, features, expiry } = need;
    const helps = (type: string): boolean => allows({ licenses: [...facts.licenses, sample(need, type)] });
    const licenseType = types?.filter(helps) ?? null;
    if (licenseType === null ? !helps(ANY_TYPE) : licenseType.length === 0) return [];
    const licenseExpiry = expiry === null ? {} : { licenseExpiry: expiry };
    return [{ kind: 'license', licenseType, licenseFeatures: [...features], ...licenseExpiry, rule: rule.index }];
  });
}

/** Adds the offers that would turn the denial: a license as it is offered may lack a feature that the rule wants. */
function withOffers(remedy: LicenseRemedy, facts: Facts, offers: OffersAt, allows: Allows): LicenseRemedy {
  const offered: Offered[] = [];
  for (const type of remedy.licenseType ?? offers.types()) {
    const offer = offers.find(type);
    if (offer === undefined) continue;
    const license = sample({ features: offer.features, expiry: remedy.licenseExpiry ?? null }, type);
    if (allows({ licenses: [...facts.licenses, license] })) offered.push(toOffered(offer));
    if (offered.length === OFFERS_MAX) break;
  }
  return offered.length === 0 ? remedy : { ...remedy, offers: offered };
}

/** A type that no rule can name. */
const ANY_TYPE = '';

/** Makes a license that meets a rule's license conditions: the type, just the features, the latest expiry allowed. */
const sample = ({ features, expiry }: Pick<WantedLicense, 'features' | 'expiry'>, type: string): LicenseFacts => ({
  id: null,
  type,
  features,
  startsAt: null,
  // `before: now` is not tried: no valid license meets it.
  expiresAt: expiry?.before === undefined ? null : Date.parse(expiry.before) - 1,
  active: true,
  scope: null,
});

/** Tries the proofs that a visitor could give and did not. A token or a signature takes the place of any other. */
function verifications(facts: Facts, proofs: readonly VerifiedKind[], allows: Allows): RuleRemedy[] {
  if (facts.verified === 'token' || facts.verified === 'signature') return [];
  // What proves the crawler is its own: a token proves the requester alone.
  const toProven = (kind: VerifiedKind): Partial<Facts> => ({ verified: kind, crawlerVerified: kind !== 'token' });
  const verified = proofs.filter(
    (kind) => (kind !== facts.verified || !facts.crawlerVerified) && allows(toProven(kind)),
  );
  return verified.length === 0 ? [] : [{ kind: 'verification', verified }];
}

/** Tries the permissions that the rule grants instead of the one requested. */
function permissions({ reason, rule }: Verdict, allows: Allows): RuleRemedy[] {
  if (reason !== 'permission_not_granted') return [];
  const granted = (rule?.permissions ?? DEFAULT_GRANT).filter((permission) => allows({ permission }));
  return granted.length === 0 ? [] : [{ kind: 'permission', permissions: granted }];
}

/** Tries the next times at which a rule or a license begins or ends. */
function waits(policy: CompiledPolicy, facts: Facts, allows: Allows): RuleRemedy[] {
  const times = [
    ...policy.rules.flatMap(({ moments, turns }) => [...moments, ...turns(facts.at)]),
    ...facts.licenses.flatMap((license) => license.startsAt ?? []),
  ];
  const ahead = [...new Set(times)].filter((time) => time > facts.at).toSorted((a, b) => a - b);
  const until = ahead.slice(0, TIMES_MAX).find((at) => allows({ at }));
  return until === undefined ? [] : [{ kind: 'wait', until: toIso(until) }];
}

/** License types tried for the record of one denial. Every denial takes this path, so there are few. */
const RECORDED_TRIES_MAX = 16;

/** Returns null unless it is recorded, and denied because a license is missing. */
export function wantedLicense(evaluation: Evaluation, recorded: boolean): string | null {
  const { reason } = evaluation.verdict;
  if (!recorded) return null;
  if (reason !== 'no_license' && reason !== 'license_expired') return null;
  const types: string[] = [];
  for (const { licenseType } of licenseRemedies(evaluation, RECORDED_TRIES_MAX)) {
    if (licenseType === null) return toWanted(null);
    types.push(...licenseType);
  }
  return toWanted(types);
}

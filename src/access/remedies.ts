/**
 * What would have turned a denial. Promise: each remedy was tried, by deciding the same check again with it; none is
 * offered that would not have helped. Not every one there is: combinations are not tried.
 */
import type { Remedy } from '../ledger/decision.ts';
import { toIso } from '../lib/clock.ts';
import type { CompiledPolicy, WantedLicense } from '../policies/compile.ts';
import { Facts, type LicenseFacts } from '../policies/facts.ts';
import { decide, type Verdict } from './decide.ts';

/** Moments tried for `wait`; a policy with more of them has its nearest ones tried. */
const MOMENTS_MAX = 20;

/** Nothing for an allowed check. A used-up limit is the ledger's to say. */
export function remediesFor(policy: CompiledPolicy, facts: Facts, verdict: Verdict): Remedy[] {
  if (verdict.reason === null) return [];
  const allows = (changed: Partial<Facts>): boolean => decide(policy, withFacts(facts, changed)).reason === null;
  return [
    ...licenses(policy, facts, verdict, allows),
    ...permissions(verdict, allows),
    ...waits(policy, facts, allows),
  ];
}

type Allows = (changed: Partial<Facts>) => boolean;

const withFacts = (facts: Facts, changed: Partial<Facts>): Facts =>
  new Facts({
    at: changed.at ?? facts.at,
    content: facts.content,
    requesterId: facts.requesterId,
    requester: facts.requester,
    permission: changed.permission ?? facts.permission,
    purpose: facts.purpose,
    country: facts.country,
    ip: facts.ip,
    userAgent: facts.userAgent,
    licenses: changed.licenses ?? facts.licenses,
  });

/** One more licence, of the kind that a rule asks for: to hold, or not to deny for want of it. */
function licenses(policy: CompiledPolicy, facts: Facts, verdict: Verdict, allows: Allows): Remedy[] {
  return policy.rules.flatMap((rule): Remedy[] => {
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

/** No rule can name it. */
const ANY_TYPE = '';

/** A licence that meets the licence keys of a rule: of the type, with just the features, ending as late as it may. */
const sample = ({ features, expiry }: WantedLicense, type: string): LicenseFacts => ({
  id: null,
  type,
  features,
  startsAt: null,
  // Not "now": no licence that is valid meets that.
  expiresAt: expiry?.before === undefined ? null : Date.parse(expiry.before) - 1,
  active: true,
  scope: null,
});

/** Another permission than the one asked for. */
function permissions({ reason, rule }: Verdict, allows: Allows): Remedy[] {
  if (reason !== 'permission_not_granted') return [];
  const granted = (rule?.permissions ?? ['full_access']).filter((permission) => allows({ permission }));
  return granted.length === 0 ? [] : [{ kind: 'permission', permissions: granted }];
}

/** The next moment at which a rule's time or a licence's begin makes the difference. */
function waits(policy: CompiledPolicy, facts: Facts, allows: Allows): Remedy[] {
  const moments = [
    ...policy.rules.flatMap((rule) => rule.moments),
    ...facts.licenses.flatMap((license) => license.startsAt ?? []),
  ];
  const ahead = [...new Set(moments)].filter((moment) => moment > facts.at).sort((a, b) => a - b);
  const until = ahead.slice(0, MOMENTS_MAX).find((moment) => allows({ at: moment }));
  return until === undefined ? [] : [{ kind: 'wait', until: toIso(until) }];
}

/**
 * Drafts rules about one crawler, program, partner or page, each at the place where it decides. The service's
 * explanation of a check by that asker says which rules can hold for it. A denial goes before every rule that could
 * allow; a permission before the rule that denies now, behind all that earlier rules deny. Nothing else opens.
 */
import { type Conditions, inOrder, type Policy, placeOfNew, type Rule } from './rules.ts';

export type Subject =
  | { crawler: string }
  | { program: string }
  | { requesterId: string; provable?: boolean }
  | { page: { host: string; path: string } };

export type Outcome = 'deny' | 'allow' | 'license';

/** The rules of the explanation of a check, in order of evaluation. */
export interface Traced {
  action: 'allow' | 'deny';
  decided: boolean;
  conditions: readonly { key: string; expected: unknown; unknown?: true; held: boolean }[];
}

interface Asked {
  policy: Pick<Policy, 'rules' | 'defaultAction'>;
  traced: readonly Traced[];
  /** Why the check was denied; null: it was allowed. */
  reason: string | null;
}

export interface Drafted {
  rules: Rule[];
  /** Indexes of the new rules. */
  added: number[];
}

const KEYS = {
  crawler: /^crawler(Operator|Purpose)?(Not)?$/,
  program: /^crawler(Operator|Purpose)?(Not)?$/,
  requesterId: /^requester(Id|Type|Tags|Metadata)(Not)?$/,
  page: /^(host|path|collection|contentId)(Not)?$/,
};

/** Returns the conditions of a rule about the subject; proven ones hold only for the subject itself. */
export function conditionsFor(subject: Subject, proven: boolean): Conditions {
  if ('crawler' in subject) return { crawler: subject.crawler, ...(proven ? { crawlerVerified: true } : {}) };
  if ('program' in subject) return { userAgent: subject.program };
  if ('page' in subject) return { host: subject.page.host, path: exactPath(subject.page.path) };
  const { requesterId, provable = false } = subject;
  return { requesterId, ...(proven && provable ? { requesterVerified: true } : {}) };
}

/** A pattern that matches one path only. */
const exactPath = (path: string): string => `${path.replaceAll('*', '%2A').replaceAll('$', '%24')}$`;

/** Denials that no rule turns. */
const HOPELESS: Readonly<Record<string, string>> = {
  requester_suspended: 'It is suspended: rules change nothing until it is reinstated.',
  content_archived: 'The item is archived, so everybody is denied.',
};

/** Returns the draft; a sentence, if the policy decides like that already. */
export function draftRules(asked: Asked, subject: Subject, outcome: Outcome): Drafted | string {
  return HOPELESS[asked.reason ?? ''] ?? DRAFTS[outcome](asked, subject);
}

const DRAFTS: Record<Outcome, (asked: Asked, subject: Subject) => Drafted | string> = {
  deny(asked, subject) {
    const at = placeOfDenial(asked, keysOf(subject));
    const rule: Rule = { action: 'deny', conditions: conditionsFor(subject, false) };
    return typeof at === 'string' ? at : insert(inOrder(asked.policy.rules), [[at, rule]]);
  },
  allow(asked, subject) {
    const { allows, at, words } = decidedNow(asked);
    if (allows) return `It is allowed already, ${words}.`;
    return insert(inOrder(asked.policy.rules), [[at, { action: 'allow', conditions: conditionsFor(subject, true) }]]);
  },
  license(asked, subject) {
    const denied: Rule = { action: 'deny', conditions: { ...conditionsFor(subject, false), hasValidLicense: false } };
    const allowed: Rule = { action: 'allow', conditions: { ...conditionsFor(subject, true), hasValidLicense: true } };
    const { allows, at } = decidedNow(asked);
    const denial = placeOfDenial(withoutLicenses(asked), keysOf(subject));
    const places: [number, Rule][] = typeof denial === 'string' ? [] : [[denial, denied]];
    // What is allowed now stays allowed with a license.
    if (!allows && !LICENSABLE.has(asked.reason)) places.push([at, allowed]);
    if (places.length === 0) return 'It is allowed only with a license already.';
    return insert(inOrder(asked.policy.rules), places);
  },
};

/** Denials that a license turns. */
const LICENSABLE: ReadonlySet<string | null> = new Set(['no_license', 'license_expired']);

/** Returns what decides the check now, and the place directly before it. */
function decidedNow({ policy, traced }: Asked): { allows: boolean; at: number; words: string } {
  const at = traced.findIndex((one) => one.decided);
  if (at === -1) return { allows: policy.defaultAction === 'allow', at: placeOfNew(policy.rules), words: by(at) };
  return { allows: traced[at]?.action === 'allow', at, words: by(at) };
}

/** The same check without a license: conditions that require one do not hold. */
const withoutLicenses = ({ traced, ...asked }: Asked): Asked => ({
  ...asked,
  traced: traced.map(({ conditions, ...rule }) => ({
    ...rule,
    conditions: conditions.map((one) => {
      if (one.key === 'hasValidLicense') return { key: 'default', expected: true, held: one.expected === false };
      return /^license(Type|Features|Expiry)$/.test(one.key) ? { key: 'default', expected: true, held: false } : one;
    }),
  })),
});

const keysOf = (subject: Subject): RegExp =>
  'crawler' in subject
    ? KEYS.crawler
    : 'program' in subject
      ? KEYS.program
      : 'page' in subject
        ? KEYS.page
        : KEYS.requesterId;

const by = (index: number): string => (index === -1 ? 'because no rule matches' : `by rule ${index + 1}`);

/** Finds the place before the first rule that could allow; a sentence, if nothing does. */
function placeOfDenial({ policy, traced }: Asked, keys: RegExp): number | string {
  for (const [i, { action, conditions }] of traced.entries()) {
    if (conditions.some((one) => !one.held && isFixed(one, keys))) continue;
    if (action === 'allow') return i;
    if (conditions.every((one) => isFixed(one, keys))) return `It is denied already, ${by(i)}.`;
  }
  return policy.defaultAction === 'deny' ? `It is denied already, ${by(-1)}.` : placeOfNew(policy.rules);
}

/** The condition holds, or does not, for all checks of the subject. Some paths depend on a query. */
const isFixed = ({ key, expected, unknown }: Traced['conditions'][number], keys: RegExp): boolean =>
  key === 'default' ||
  (keys.test(key) && unknown !== true && !(key.startsWith('path') && [expected].flat().join().includes('?')));

/** Inserts rules at places of the given order. */
function insert(ordered: readonly Rule[], places: readonly (readonly [number, Rule])[]): Drafted {
  const rules = [...ordered];
  const added: number[] = [];
  for (const [i, [at, rule]] of places.entries()) {
    const place = at + places.slice(0, i).filter(([before]) => before <= at).length;
    for (const [j, one] of added.entries()) if (one >= place) added[j] = one + 1;
    rules.splice(place, 0, rule);
    added.push(place);
  }
  return { rules, added };
}

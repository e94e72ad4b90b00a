/**
 * Asks `decide` for the answers that a site publishes. Of all answers that visitors of one audience may get, the most
 * restrictive is published. Pure.
 */

import { ANONYMOUS, type KnownRequester } from '../../decisions/snapshot/subject.ts';
import type { UrlRules } from '../../lib/urls/spellings.ts';
import type { CompiledPolicy } from '../../rules/compile.ts';
import { decide, type Verdict } from '../../rules/decide.ts';
import { type ContentFacts, Facts, type LicenseFacts, type VisitedPage } from '../../rules/facts.ts';
import { GRANTS } from '../../rules/policy.ts';
import type { AskerClass, Classifier, Name } from './classes.ts';
import { type Circumstances, type PolicyFacts, read, UNKNOWNS, type Unknown } from './questions.ts';
import { holding } from './sale.ts';
import type { Cell, TableAnswer } from './table.ts';
import { USES, type Use } from './words.ts';

/** An item, or a page without one. */
export interface AskedPlace {
  readonly content: ContentFacts | null;
  readonly page: VisitedPage;
}

/** The purposes of checks by use. */
export type Purposes = { readonly [U in Use]: readonly string[] };

interface Wanted {
  purpose: string | null;
  permission: string | null;
}

const NOTHING: Wanted = { purpose: null, permission: null };
const RIGHTS: ReadonlySet<string> = new Set(GRANTS);

interface AskTerms {
  purposes: Purposes;
  now: number;
  /** The rules of the site that say which URLs are one file. */
  urls: UrlRules;
  license?: LicenseFacts | null;
}

/** A policy with the questions that it is asked, and the classes of audiences that it distinguishes. */
export class AskedPolicy {
  readonly policy: CompiledPolicy;
  readonly reading: PolicyFacts;
  readonly classOf: Uint16Array;
  /** An asker of each class. */
  readonly classes: readonly AskerClass[];
  readonly #purposes: Purposes;
  readonly #license: LicenseFacts | null;

  constructor(policy: CompiledPolicy, classifier: Classifier, { purposes, now, urls, license = null }: AskTerms) {
    this.policy = policy;
    this.reading = read(policy, now, urls);
    this.#purposes = purposes;
    this.#license = license;
    ({ classOf: this.classOf, classes: this.classes } = classifier.classesOf(policy.rules, this.reading.keys));
  }

  asks(key: string): boolean {
    return this.reading.keys.has(key);
  }

  answer(place: AskedPlace): Cell {
    const answers = this.classes.map((asker) => this.#answerOne(place, asker));
    return {
      policyId: this.policy.id,
      policyVersion: this.policy.version,
      crawl: answers.map(({ crawl }) => crawl),
      uses: byUse((use) => answers.map(({ uses }) => uses[use])),
      classOf: this.classOf,
    };
  }

  #answerOne(place: AskedPlace, asker: AskerClass): { crawl: TableAnswer; uses: { [U in Use]: TableAnswer } } {
    const known = new Map<string, TableAnswer>();
    const ask = (wanted: readonly Wanted[]): TableAnswer =>
      strictest(
        wanted.map((given) => {
          const one = this.asks('purpose') ? given : { ...given, purpose: null };
          const name = `${one.purpose ?? ''}\n${one.permission ?? ''}`;
          const answer = known.get(name) ?? this.#ask(place, asker, one);
          known.set(name, answer);
          return answer;
        }),
      );
    const own = asker.purpose === null ? [] : [{ purpose: asker.purpose, permission: null }];
    return { crawl: ask([NOTHING, ...own]), uses: byUse((use) => ask(this.#purposes[use].flatMap(wantedFor))) };
  }

  #ask(place: AskedPlace, asker: AskerClass, wanted: Wanted): TableAnswer {
    const { circumstances } = this.reading;
    if (circumstances === 'too many') return TOO_MANY;
    const tried: Tried[] = [];
    for (const name of asker.names) {
      if (name.requester === 'ambiguous') return AMBIGUOUS;
      for (const known of holding(expandRequester(name), this.#license)) {
        for (const one of circumstances) {
          const { verdict, allowed } = tryOne(this.policy, { place, name, known, wanted, one });
          tried.push({ verdict, allowed, name, known, one });
        }
      }
    }
    return toAnswer(tried);
  }
}

const byUse = <T>(work: (use: Use) => T): { [U in Use]: T } =>
  Object.fromEntries(USES.map((use) => [use, work(use)])) as unknown as { [U in Use]: T };

/** A right of use is never implied: a purpose that is also a right is asked for with it. */
const wantedFor = (purpose: string): Wanted[] => [
  { purpose, permission: null },
  ...(RIGHTS.has(purpose) ? [{ purpose, permission: purpose }] : []),
];

/** A requester is asked about with its licenses and without: they may end. */
function expandRequester({ requester }: Name): KnownRequester[] {
  if (requester === null || requester === 'ambiguous') return [ANONYMOUS];
  const { known } = requester;
  return known.licenses.length === 0 ? [known] : [{ ...known, licenses: [] }, known];
}

interface Tried {
  verdict: Verdict;
  allowed: boolean;
  name: Name;
  known: KnownRequester;
  one: Circumstances;
}

interface Question {
  place: AskedPlace;
  name: Name;
  known: KnownRequester;
  wanted: Wanted;
  one: Circumstances;
}

function tryOne(
  policy: CompiledPolicy,
  { place, name, known, wanted, one }: Question,
): Pick<Tried, 'verdict' | 'allowed'> {
  const { requester } = name;
  const facts = new Facts({
    ...one,
    ...wanted,
    content: place.content,
    page: place.page,
    requesterId: requester === null || requester === 'ambiguous' ? null : requester.id,
    requester: known.facts,
    userAgent: name.userAgent,
    licenses: known.licenses,
  });
  const verdict = decide(policy, facts);
  // A limit may be used up.
  return { verdict, allowed: verdict.reason === null && (verdict.rule === null || verdict.rule.limit === null) };
}

function toAnswer(tried: readonly Tried[]): TableAnswer {
  const denied = tried.find(({ allowed }) => !allowed);
  const { reason, rule } = ((denied ?? tried[0]) as Tried).verdict;
  return {
    allowed: denied === undefined,
    reason: denied !== undefined && reason === null ? 'rate_limit_exceeded' : reason,
    rule: rule?.index ?? null,
    varies: denied === undefined ? NONE : differences(denied, tried),
  };
}

const NONE: readonly Unknown[] = [];

/** Names the differences between a denied visitor and the most similar one that is allowed. */
function differences(denied: Tried, tried: readonly Tried[]): readonly Unknown[] {
  if (denied.verdict.reason === null) return ['limit'];
  let best: Unknown[] | undefined;
  for (const other of tried) {
    if (other.verdict.reason !== null) continue;
    const found = UNKNOWNS.filter((unknown) => pickValue(other, unknown) !== pickValue(denied, unknown));
    if (best === undefined || found.length < best.length) best = found;
  }
  return best ?? NONE;
}

function pickValue({ name, known, one }: Tried, unknown: Unknown): unknown {
  const values: Partial<Record<Unknown, unknown>> = {
    name: name.userAgent,
    license: known,
    time: one.at,
    country: one.country,
    address: one.ipUnreadable ? undefined : one.ip,
    verification: `${one.verified} ${one.crawlerVerified}`,
  };
  return values[unknown];
}

const denial = (varies: readonly Unknown[]): TableAnswer => ({
  allowed: false,
  reason: 'policy_denied',
  rule: null,
  varies,
});
/** The policy distinguishes too many circumstances. */
const TOO_MANY = denial(['time', 'country', 'address', 'verification']);
const AMBIGUOUS = denial(['name']);

/** A place of which no question can be asked exactly. */
export const refusedCell = ({ policy, classOf, classes }: AskedPolicy): Cell => {
  const crawl = classes.map(() => TOO_MANY);
  return {
    policyId: policy.id,
    policyVersion: policy.version,
    crawl,
    uses: { training: crawl, input: crawl, index: crawl, search: crawl },
    classOf,
  };
};

function strictest(answers: readonly TableAnswer[]): TableAnswer {
  const denied = answers.find(({ allowed }) => !allowed);
  if (denied === undefined) return answers[0] ?? denial(NONE);
  const isMixed = answers.some(({ allowed }) => allowed);
  return isMixed && !denied.varies.includes('purpose') ? { ...denied, varies: [...denied.varies, 'purpose'] } : denied;
}

/** Returns the next time at which a license begins or ends, epoch ms. */
export function nextLicenseTime(askers: readonly AskerClass[], now: number): number {
  let next = Infinity;
  for (const { names } of askers) {
    for (const { requester } of names) {
      if (requester === null || requester === 'ambiguous') continue;
      for (const { startsAt, expiresAt, active } of requester.known.licenses) {
        for (const at of [startsAt, expiresAt]) if (active && at !== null && at > now && at < next) next = at;
      }
    }
  }
  return next;
}

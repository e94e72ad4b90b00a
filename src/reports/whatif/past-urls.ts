/**
 * Finds what recorded URLs led to: the rules of their hosts for URLs that are one file, as of the decision, and where
 * servers may read a URL in several ways, the items and pages of each reading. Both are found as a check finds them.
 */

import { Failure } from '../../api/errors.ts';
import type { InForce } from '../../content/collections/known.ts';
import { findOwnUrlsHistory } from '../../content/sites/store.ts';
import type { Db } from '../../db/db.ts';
import type { Ask } from '../../decisions/check/ask.ts';
import { openHistory, readSubjects, type SubjectSource } from '../../decisions/explain/as-of.ts';
import type { RecordedDecision } from '../../decisions/history/past.ts';
import { ANONYMOUS, type PlacedSubject } from '../../decisions/snapshot/subject.ts';
import { type Locator, parseLocator } from '../../lib/urls/locator.ts';
import { findReadings } from '../../lib/urls/readings.ts';
import { type Looseness, loosen, type UrlRules, USUAL_URLS } from '../../lib/urls/spellings.ts';
import { type CompiledPolicy, compile } from '../../rules/compile.ts';
import type { PolicyVersion } from '../../rules/policy.ts';
import { type Known, locatorOf, type PastReadings, recordedPolicy } from './impact.ts';
import type { ImpactSource } from './impact-source.ts';
import type { Cause } from './tally.ts';

type RulesAt = (host: string, at: number) => UrlRules | undefined;

export class PastUrls {
  readonly #source: ImpactSource;
  /** The policy whose decisions are decided again. */
  readonly #policy: CompiledPolicy;
  readonly #rulesAt: RulesAt;
  readonly #subjects: SubjectSource;

  private constructor(source: ImpactSource, policy: CompiledPolicy, rulesAt: RulesAt) {
    this.#source = source;
    this.#policy = policy;
    this.#rulesAt = rulesAt;
    const history = openHistory(source.db);
    const inForceAt = openInForce(source.db, history.inForce);
    this.#subjects = {
      inForce: (at) => inForceAt(at as number),
      policy: (id, at) => (id === policy.id ? policy : history.policy(id, at)),
      requester: () => Promise.resolve(ANONYMOUS),
    };
  }

  static async open(source: ImpactSource, draft: PolicyVersion): Promise<PastUrls> {
    return new PastUrls(source, compile(draft), await findOwnUrlsHistory(source.db));
  }

  /** Adds what the URL of a decision led to. */
  complete(decision: RecordedDecision, known: Known): Promise<void> | undefined {
    const locator = locatorOf(decision);
    const host = locator?.host ?? hostOf(known);
    known.urls = host === undefined ? undefined : this.#rulesAt(host, decision.at);
    const router = routerOf(decision);
    if (router !== undefined) known.urls = loosen(known.urls ?? USUAL_URLS, router);
    // Nearly all have one reading, and need nothing from the database.
    const hasOne = locator === undefined || findReadings(locator, (known.urls ?? USUAL_URLS).index) === undefined;
    return hasOne ? undefined : this.#addReadings(decision, known, locator);
  }

  async #addReadings(decision: RecordedDecision, known: Known, locator: Locator): Promise<void> {
    known.readings = await this.#read(decision, locator);
    // The rules of the reading that decided.
    if (typeof known.readings === 'object') known.urls = known.readings.first.urls;
  }

  async #read(decision: RecordedDecision, locator: Locator): Promise<PastReadings | Cause> {
    const ask: Ask = { locator, asOf: decision.at };
    const subject = (await readSubjects(this.#source.db, [ask], this.#subjects)).get(ask);
    if (subject === undefined || subject instanceof Failure) return 'not_reproduced';
    const { page, others = [], missing = false } = subject;
    if (page === undefined || !isFrom(subject, decision, this.#policy.id)) return 'not_reproduced';
    if (await this.#wasEdited(others, decision.at)) return 'item_edited';
    return {
      first: page,
      others: others.map(({ content, page: other, policy }) => ({
        content,
        page: other,
        version: policy.id === this.#policy.id ? null : recordedPolicy(policy),
      })),
      missing,
    };
  }

  async #wasEdited(others: readonly PlacedSubject[], at: number): Promise<boolean> {
    const nos = others.flatMap(({ content }) => content?.no ?? []);
    if (nos.length === 0) return false;
    const items = await this.#source.items(nos, this.#policy.id);
    return items.values().some(({ editedAt }) => editedAt !== null && at < editedAt);
  }
}

/** Returns whether what is found is what decided. An item may have had another policy then. */
const isFrom = (
  { content, page, policy }: PlacedSubject,
  { contentNo, collectionId }: RecordedDecision,
  policyId: string,
): boolean => {
  if ((content?.no ?? 0) !== contentNo || page?.collectionId !== collectionId) return false;
  return content !== null || policy.id === policyId;
};

/** Returns what the router of the caller ignored, if the check said so. */
const routerOf = ({ inputs, url }: RecordedDecision): Looseness | undefined =>
  url !== null && inputs?.includes('"urls":') === true ? (JSON.parse(inputs) as { urls?: Looseness }).urls : undefined;

const hostOf = ({ item }: Known): string | undefined =>
  item?.facts.source == null ? undefined : parseLocator(item.facts.source)?.host;

const EDIT_TIMES = `select at from collection_versions union select at from site_versions
  union select at from default_policies order by at`;

/** Remembers the last state: decisions come in the order of their times, and states are large. */
function openInForce(db: Db, read: (at: number) => Promise<InForce>): (at: number) => Promise<InForce> {
  let times: readonly number[] | undefined;
  let last: { state: number; inForce: InForce } | undefined;
  return async (at) => {
    times ??= (await db.read<{ at: number }>(EDIT_TIMES)).map((row) => row.at);
    const state = times.findLastIndex((time) => time <= at);
    if (last?.state !== state) last = { state, inForce: await read(at) };
    return last.inForce;
  };
}

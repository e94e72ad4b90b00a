/**
 * The check, in a straight line: find the subjects, decide, record, answer (`answerAll`). One road for a single check,
 * a batch and a proxy's request. It has one short cut (`checkAtOnce`): a plain check whose records are in memory takes
 * the same steps without lists and turns of promises, which would cost it more than its rules do. A decision with
 * `recorded: true` is on disk, with its use of a limit; a check that cannot be recorded gets no decision.
 */

import { Failure, unavailable } from '../../api/errors.ts';
import { inUse } from '../../api/http/idempotency.ts';
import { onlyOf } from '../../api/http/validate.ts';
import type { Caller } from '../../api/permissions.ts';
import { UndecidedUrl } from '../../content/undecided.ts';
import type { Unregistered } from '../../content/unregistered/unregistered.ts';
import { Conflict, type Db, Unavailable } from '../../db/db.ts';
import { mapInSlices } from '../../lib/slices.ts';
import { traced } from '../../lib/spans.ts';
import type { KnownOffers } from '../../requesters/offers/known.ts';
import { findCrawler } from '../../rules/crawlers/directory.ts';
import { openHistory, readSubjects } from '../explain/as-of.ts';
import type { Explainer } from '../explain/explain.ts';
import { type Decision, type Draft, settle } from '../ledger/decision.ts';
import {
  type Entry,
  type Grounds,
  type Ledger,
  type LedgerReceipt,
  type PeekedEntry,
  type Recorded,
} from '../ledger/ledger.ts';
import type { Precision } from '../precision.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import type { Subject } from '../snapshot/subject.ts';
import { type AddressDeps, hasAddress, judgeAddresses } from '../visitors/address.ts';
import type { Ask } from './ask.ts';
import type { KeptDecisions, Round } from './attempts.ts';
import { type Decided, type DecideTerms, decideAsk, decidingReading, type SignalsOf } from './draft.ts';

export interface CheckDeps extends AddressDeps {
  db: Db;
  snapshot: Snapshot;
  ledger: Ledger;
  /** Records the checks of test keys. */
  testLedger: Ledger;
  unregistered: Pick<Unregistered, 'count'>;
  offers: KnownOffers;
  /** The longest that an answer may be used again, in seconds. */
  maxAge: number;
  /** Limits what is written of the inputs. */
  precision: Precision;
}

/** The terms of one attempt to decide a request's checks. */
export interface CheckAttempt {
  caller: Caller;
  grounds: Grounds;
  /** null: no check wants an explanation. */
  explainer: Explainer | null;
  /** Absent: no check has a page. */
  signalsOf?: SignalsOf | undefined;
  /** Makes the receipt to be recorded with the decisions; each of these is a draft in the list. */
  toReceipt?: ((answers: readonly (Decision | Draft | Failure)[]) => Promise<LedgerReceipt>) | undefined;
  /** Absent: every attempt decides everything. */
  kept?: KeptDecisions;
}

/** Decides one check. Throws what the check is refused with, Unavailable, Stale. */
export const check = (deps: CheckDeps, ask: Ask, attempt: CheckAttempt): Promise<Decision> =>
  traced('check', () => checkAtOnce(deps, ask, attempt) ?? answerAll(deps, [ask], attempt).then(onlyOf));

/**
 * The short way of a plain check, which is recorded without a receipt, and of which everything is in memory. Returns
 * undefined for others.
 */
function checkAtOnce(deps: CheckDeps, ask: Ask, attempt: CheckAttempt): Promise<Decision> | undefined {
  const { caller, grounds, explainer, signalsOf, toReceipt, kept } = attempt;
  const { maxAge, precision } = deps;
  if (toReceipt !== undefined || kept !== undefined || ask.dryRun === true || caller.readOnly) return undefined;
  if (ask.unclear !== undefined) return undefined;
  if (ask.context !== undefined && hasAddress(ask)) return undefined;
  const subject = deps.snapshot.subject(ask);
  if (subject === undefined) return undefined;
  const ledger = pickLedger(deps, caller);
  const terms = { caller, explainer, signalsOf, now: ledger.now(), maxAge, precision };
  const deciding = subject.others === undefined ? subject : decidingReading(subject, ask, terms.now);
  if (deciding instanceof UndecidedUrl) throw deciding;
  const { draft, entry } = traced('decide', () => decideAsk(deciding, ask, terms));
  return traced('commit', () => ledger.record([entry], undefined, grounds)).then(
    ([recorded]) => settle(draft, recorded as Recorded),
    (error: unknown) => {
      throw toRefusal(error);
    },
  );
}

const pickLedger = ({ ledger, testLedger }: CheckDeps, { mode }: Caller): Ledger =>
  mode === 'test' ? testLedger : ledger;

/** Decides checks in order; one that is refused is a Failure. Throws Unavailable, Stale: then nothing is recorded. */
export const checkAll = (
  deps: CheckDeps,
  given: readonly (Ask | Failure)[],
  attempt: CheckAttempt,
): Promise<(Decision | Failure)[]> => traced('check', () => answerAll(deps, given, attempt));

async function answerAll(
  deps: CheckDeps,
  given: readonly (Ask | Failure)[],
  attempt: CheckAttempt,
): Promise<(Decision | Failure)[]> {
  const { caller, explainer, signalsOf, kept } = attempt;
  const { maxAge, precision } = deps;
  const ledger = pickLedger(deps, caller);
  // Only what is not there yet is awaited: each turn of a promise costs a check more than its rules do.
  const judging = judgeAddresses(deps, given);
  const asks = judging instanceof Promise ? await judging : judging;
  const subjects = findInMemory(deps.snapshot, asks) ?? (await findSubjects(deps, asks, kept));
  const terms = { caller, explainer, signalsOf, now: ledger.now(), maxAge, precision };
  const deciding = decideAll({ asks, subjects }, terms, kept);
  const decided = deciding instanceof Promise ? await deciding : deciding;
  const answers = decided.some(isDry) ? await settleDry(ledger, decided) : decided.map(getDraft);
  const entries: Entry[] = [];
  for (const one of decided) if (!(one instanceof Failure) && one.recorded) entries.push(one.entry);
  const settled =
    entries.length === 0 ? (answers as (Decision | Failure)[]) : await record(ledger, entries, answers, attempt);
  // Once it is certain that they are not decided again.
  for (let i = 0; i < subjects.length; i++) {
    const subject = subjects[i];
    if (subject instanceof UndecidedUrl) countUnregistered(deps, asks[i] as Ask, subject, attempt);
  }
  return settled;
}

function decideAll(
  { asks, subjects }: Pick<Round, 'asks' | 'subjects'>,
  terms: DecideTerms,
  kept: KeptDecisions | undefined,
): Round['decided'] | Promise<Round['decided']> {
  const decideOne = (subject: Subject | Failure, i: number): Decided | Failure => {
    if (subject instanceof Failure) return subject;
    const ask = asks[i] as Ask;
    const deciding = decidingReading(subject, ask, ask.asOf ?? terms.now);
    if (deciding instanceof UndecidedUrl) return deciding;
    const decided =
      kept === undefined ? decideAsk(deciding, ask, terms) : kept.decide(i, { subject: deciding, ask }, terms);
    return ask.unclear !== undefined && decided.draft.decision.enforced ? ask.unclear : decided;
  };
  const deciding = traced('decide', () => mapInSlices(subjects, decideOne));
  if (kept === undefined) return deciding;
  return Promise.resolve(deciding).then((decided) => {
    kept.keep({ asks, subjects, decided, now: terms.now });
    return decided;
  });
}

function countUnregistered(
  { ledger, unregistered }: CheckDeps,
  { dryRun, requesterId, context }: Ask,
  { why, locator: { host, path } }: UndecidedUrl,
  { caller }: CheckAttempt,
): void {
  if (why !== 'none' || dryRun === true || caller.readOnly || caller.mode === 'test') return;
  const crawler = context?.userAgent === undefined ? null : (findCrawler(context.userAgent)?.name ?? null);
  unregistered.count({
    host,
    segment: path.split('/', 2)[1] ?? '',
    crawler,
    requesterId: requesterId ?? null,
    at: ledger.now(),
  });
}

const isDry = (one: Decided | Failure): boolean => !(one instanceof Failure) && !one.recorded;

const getDraft = (one: Decided | Failure): Draft | Failure => (one instanceof Failure ? one : one.draft);

/** Returns undefined unless every subject is in memory. */
function findInMemory(snapshot: Snapshot, asks: readonly (Ask | Failure)[]): (Subject | Failure)[] | undefined {
  const subjects: (Subject | Failure)[] = [];
  for (const ask of asks) {
    const subject = ask instanceof Failure ? ask : snapshot.subject(ask);
    if (subject === undefined) return undefined;
    subjects.push(subject);
  }
  return subjects;
}

async function findSubjects(
  { db, snapshot }: CheckDeps,
  asks: readonly (Ask | Failure)[],
  kept: KeptDecisions | undefined,
): Promise<(Subject | Failure)[]> {
  // Taken once, before anything is read: an edit during a read may remove it from memory.
  const known = asks.map((ask, i) =>
    ask instanceof Failure ? ask : (snapshot.subject(ask) ?? kept?.pastSubject(i, ask)),
  );
  const missing = asks.filter((_, i) => known[i] === undefined) as Ask[];
  const past = await readSubjects(
    db,
    missing.filter(({ asOf }) => asOf !== undefined),
    openHistory(db),
  );
  const present = await snapshot.loadSubjects(missing.filter(({ asOf }) => asOf === undefined));
  return asks.map((ask, i) => known[i] ?? ((past.get(ask as Ask) ?? present.get(ask as Ask)) as Subject | Failure));
}

/**
 * Settles the checks that are not recorded: dry runs and those of public keys. A limit or a quota answers them as it
 * stands at their position in the list; nothing of it is used.
 */
async function settleDry(
  ledger: Ledger,
  decided: readonly (Decided | Failure)[],
): Promise<(Decision | Draft | Failure)[]> {
  const entries: PeekedEntry[] = [];
  for (const one of decided) {
    if (!(one instanceof Failure) && hasClaims(one)) entries.push({ ...pickClaims(one), uses: one.recorded });
  }
  const granted = (entries.length === 0 ? [] : await peekAll(ledger, entries, decided.some(isRecorded))).values();
  const now = ledger.now();
  return decided.map((one) => {
    if (one instanceof Failure) return one;
    const own = hasClaims(one) ? (granted.next().value as Peeked) : NOTHING;
    return one.recorded ? one.draft : settle(one.draft, { id: null, at: one.at ?? now, ...own });
  });
}

const isRecorded = (one: Decided | Failure): boolean => !(one instanceof Failure) && one.recorded;

/** Opening the count of a quota writes. If it fails, what is recorded with it is refused as recording is. */
async function peekAll(ledger: Ledger, entries: PeekedEntry[], recorded: boolean): Promise<readonly Peeked[]> {
  try {
    return await ledger.peekAll(entries);
  } catch (error) {
    throw recorded ? toRefusal(error) : error;
  }
}

type Peeked = Pick<Recorded, 'granted' | 'quota'>;
const NOTHING: Peeked = { granted: null };
const pickClaims = ({ entry: { claim, quota } }: Decided): Pick<Entry, 'claim' | 'quota'> => ({ claim, quota });
const hasClaims = ({ entry }: Decided): boolean => entry.claim !== null || entry.quota !== null;

/** Records the drafts among the answers and returns all of them settled. */
async function record(
  ledger: Ledger,
  entries: readonly Entry[],
  answers: readonly (Decision | Draft | Failure)[],
  { grounds, toReceipt }: CheckAttempt,
): Promise<(Decision | Failure)[]> {
  const receipt = toReceipt === undefined ? undefined : await toReceipt(answers);
  try {
    const recorded = await traced('commit', () => ledger.record(entries, receipt, grounds));
    let next = 0;
    return answers.map((answer) => ('decision' in answer ? settle(answer, recorded[next++] as Recorded) : answer));
  } catch (error) {
    throw toRefusal(error, entries.length);
  }
}

function toRefusal(error: unknown, decisions = 1): unknown {
  if (error instanceof Conflict) return inUse();
  if (error instanceof Unavailable) {
    const retry = decisions === 1 ? 'Retry the request.' : 'Retry the request, or send fewer checks at once.';
    return unavailable(`The decision cannot be recorded now, so none is given. ${retry}`, error);
  }
  return error;
}

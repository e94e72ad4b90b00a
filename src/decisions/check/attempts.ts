/** Attempts to decide: what is recorded was true when its recording began, and else it is decided again. */
import { isDeepStrictEqual } from 'node:util';
import { Failure } from '../../api/errors.ts';
import type { Caller } from '../../api/permissions.ts';
import { monotonicMs, parseIso } from '../../lib/clock.ts';
import type { PriceList } from '../../requesters/offers/price-list.ts';
import type { CompiledPolicy } from '../../rules/compile.ts';
import { type Grounds, Stale } from '../ledger/ledger.ts';
import type { Subject } from '../snapshot/subject.ts';
import type { Ask } from './ask.ts';
import { type Decided, type DecideTerms, decideAsk } from './draft.ts';

/** A request whose key can be looked at again. */
export interface Asker {
  caller: Caller;
  /** Before its key was looked at; see monotonicMs. */
  readonly arrivedAt: number;
  admit(): Promise<Caller>;
}

/**
 * Returns what `decide` returns. As long as it throws Stale, starts over with the key and its permission. Rejects with
 * what else it throws, and with what `admit` throws.
 */
export function decideFresh<T>(
  asker: Asker,
  decide: (grounds: Grounds) => Promise<T>,
  grounds: Grounds = { readAt: asker.arrivedAt },
): Promise<T> {
  const retry = (error: unknown): Promise<T> => startOver(asker, decide, error);
  try {
    return decide(grounds).catch(retry);
  } catch (error) {
    // Not every way to a decision is async: each promise costs a check more than its rules do.
    return retry(error);
  }
}

async function startOver<T>(asker: Asker, decide: (grounds: Grounds) => Promise<T>, error: unknown): Promise<T> {
  if (!(error instanceof Stale)) throw error;
  // By then, edits committed together with the late flush are known.
  await new Promise(setImmediate);
  const grounds = { readAt: monotonicMs(), since: error.since };
  asker.caller = await asker.admit();
  return decideFresh(asker, decide, grounds);
}

/** An attempt to decide a batch. The lists are in the order of the request. */
export interface Round {
  asks: readonly (Ask | Failure)[];
  subjects: readonly (Subject | Failure)[];
  decided: readonly (Decided | Failure)[];
  /** The time that the checks were decided at, epoch ms. */
  now: number;
}

/** Grounds that all checks of a request share. */
interface Shared {
  caller: Caller;
  /** null: no check wants an explanation. */
  offers: PriceList | null;
}

const MINUTE_MS = 60_000;

/**
 * Keeps the decisions of an attempt that came too late to be recorded. A batch may take longer to decide than its
 * grounds stay fresh: the next attempt reads the grounds again, and decides again only the checks for which they
 * changed.
 * Promise: a kept decision is the one that deciding again would return, except that an offer among its remedies may
 * have ended in between.
 */
export class KeptDecisions {
  #shared: Shared | undefined;
  #round: Round | undefined;

  /** Begins an attempt. Forgets everything if the caller or the offers changed. */
  under(shared: Shared): this {
    const isSame = shared.offers === this.#shared?.offers && isDeepStrictEqual(shared.caller, this.#shared?.caller);
    if (!isSame) this.#round = undefined;
    this.#shared = shared;
    return this;
  }

  keep(round: Round): void {
    this.#round = round;
  }

  /** Returns the subject of a check as of a past time: reading it again would find the same. */
  pastSubject(i: number, ask: Ask): Subject | undefined {
    const subject = this.#round?.subjects[i];
    if (ask.asOf === undefined || subject instanceof Failure) return undefined;
    return isDeepStrictEqual(this.#round?.asks[i], ask) ? subject : undefined;
  }

  /** Decides a check, unless the decision of the attempt before still holds. */
  decide(i: number, { subject, ask }: { subject: Subject; ask: Ask }, terms: DecideTerms): Decided {
    const before = this.#find(i, { subject, ask }, terms.now);
    return before === undefined ? decideAsk(subject, ask, terms) : renew(before, ask, terms, this.#round?.now ?? 0);
  }

  #find(i: number, { subject, ask }: { subject: Subject; ask: Ask }, now: number): Decided | undefined {
    if (this.#round === undefined) return undefined;
    const { asks, subjects, decided, now: before } = this.#round;
    const [found, decision] = [subjects[i], decided[i]];
    if (found === undefined || found instanceof Failure || decision === undefined || decision instanceof Failure) {
      return undefined;
    }
    if (!isSameSubject(found, subject) || changesBetween(before, now, { ask, subject })) return undefined;
    return isDeepStrictEqual(asks[i], ask) ? decision : undefined;
  }
}

/** Ages the answer by the time since it was decided, and reads the signals of its page again. */
function renew(decided: Decided, { page }: Ask, { now, signalsOf }: DecideTerms, before: number): Decided {
  const { maxAge, ...decision } = decided.draft.decision;
  if (maxAge === undefined && decision.signals === undefined) return decided;
  const left = (maxAge ?? 0) - Math.ceil((now - before) / 1000);
  if (left > 0) Object.assign(decision, { maxAge: left });
  if (page !== undefined && signalsOf !== undefined) Object.assign(decision, { signals: signalsOf(page, decision) });
  return { ...decided, draft: { ...decided.draft, decision } };
}

/** Policies and requesters are read once and forgotten when they change: the same object is the same state. */
const isSameSubject = (one: Subject, other: Subject): boolean =>
  one.others === undefined &&
  other.others === undefined &&
  one.policy === other.policy &&
  one.requester === other.requester &&
  isDeepStrictEqual(one.content, other.content) &&
  isDeepStrictEqual(one.page, other.page);

/** Hours and quotas begin on whole minutes; only spans of rules and licenses begin and end at any time. */
function changesBetween(before: number, now: number, { ask, subject }: { ask: Ask; subject: Subject }): boolean {
  if (Math.floor(before / MINUTE_MS) !== Math.floor(now / MINUTE_MS)) return true;
  const within = (time: number | null): boolean => time !== null && time > before && time <= now;
  const { policy, requester } = subject;
  const end = ask.license === undefined || 'id' in ask.license ? null : (ask.license.expiresAt ?? null);
  const vouched = end === null ? null : (parseIso(end) ?? null);
  return (
    within(vouched) ||
    requester.licenses.some(({ startsAt, expiresAt }) => within(startsAt) || within(expiresAt)) ||
    collectMoments(policy).some(within)
  );
}

const collectMoments = ({ rules, candidate }: CompiledPolicy): number[] =>
  [...rules, ...(candidate?.policy.rules ?? [])].flatMap(({ moments }) => moments);

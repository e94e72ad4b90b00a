/**
 * Announces crawlers that are seen for the first time, and names that are used falsely, those at most once an hour
 * each. Reads the recorded decisions behind the checks, each once, so that no check waits for it and a restart misses
 * none. Several nodes may look at once; only one announces. Where one process records all decisions, it knows the names
 * in them: as long as none is new, nothing is read.
 */

import { type Change, SYSTEM } from '../../api/changes/change.ts';
import type { Changes } from '../../api/changes/changes.ts';
import { Conflict, type Db, type Step } from '../../db/db.ts';
import { type Clock, toIso } from '../../lib/clock.ts';
import { openHeads } from '../history/ends.ts';
import { findFirst, findNth, findSightings, type Sighting } from '../history/visits.ts';
import { decisionId } from '../ledger/decision.ts';
import type { NamedInDecisions } from '../ledger/ledger.ts';
import {
  findAnnounced,
  findCursor,
  findPending,
  moveCursor,
  putPending,
  putSighting,
  type SightingCursor,
} from './sighting-store.ts';

const SPOOFED_EVERY_MS = 3_600_000;
const DECISIONS_AT_ONCE = 50_000;
/** The cursor is stored this often when there is nothing to announce: a restart reads so much again. */
const STORE_EVERY_MS = 60_000;
/** Names that were announced, kept in memory so that they are not read again; a bound for requesters. */
const KNOWN_MAX = 20_000;

export interface SightingDeps {
  db: Db;
  changes: Changes;
  clock: Clock;
  ledgerNo: number;
  /** Absent where other nodes record decisions, too. */
  takeNames?: (() => NamedInDecisions) | undefined;
}

interface Watch {
  deps: SightingDeps;
  /** The cursor in the records. */
  stored: SightingCursor;
  /** Decisions up to here are known to have nothing to announce. */
  seq: number;
  storedAt: number;
  /** When crawlers and false names may be announced again, by kind and name. */
  quietUntil: Map<string, number>;
  /** Checks under false names that were not announced yet. */
  checks: Map<string, number>;
}

/** Returns the work of one round. */
export function watchSightings(deps: SightingDeps): () => Promise<void> {
  const readHeads = openHeads(deps.db);
  let watch: Watch | undefined;
  return async () => {
    const named = deps.takeNames?.();
    try {
      watch ??= await openWatch(deps);
      if (named !== undefined && hasNothingNew(watch, named)) await pass(watch, Math.max(watch.seq, named.to));
      else await look(watch, (await readHeads()).settled);
    } catch (error) {
      // Another node was faster, or nothing is certain: the next round begins with what is stored.
      watch = undefined;
      if (!(error instanceof Conflict)) throw error;
    }
  };
}

async function openWatch(deps: SightingDeps): Promise<Watch> {
  const stored = await findCursor(deps.db);
  const checks = await findPending(deps.db, KNOWN_MAX);
  return { deps, stored, seq: stored.seq, storedAt: performance.now(), quietUntil: new Map(), checks };
}

/** Returns whether these are all names since the last look, and none is to be announced. */
function hasNothingNew({ seq, quietUntil }: Watch, { from, crawlers, claims }: NamedInDecisions): boolean {
  if (claims || from > seq) return false;
  for (const name of crawlers) if (!quietUntil.has(sightingKey({ kind: 'seen', name }))) return false;
  return true;
}

async function look(watch: Watch, head: number): Promise<void> {
  if (head <= watch.seq) return;
  const { db, clock } = watch.deps;
  // After a restart, many numbers have no decision.
  const isMuch = head - watch.seq > DECISIONS_AT_ONCE;
  const upTo = Math.min(head, (isMuch ? await findNth(db, watch.seq, DECISIONS_AT_ONCE) : undefined) ?? head);
  const found = await findSightings(db, watch.seq, upTo);
  for (const one of found) if (one.kind === 'spoofed') count(watch, one);
  const now = clock.now();
  const due = found.filter((one) => now >= (watch.quietUntil.get(sightingKey(one)) ?? Number.NEGATIVE_INFINITY));
  const unknown = await findUnannounced(watch, due, now);
  if (unknown.length === 0) return pass(watch, upTo);
  await announce(watch, unknown, upTo);
  watch.seq = upTo;
}

/** Goes on to `upTo`: nothing before it is to be announced. */
async function pass(watch: Watch, upTo: number): Promise<void> {
  if (upTo > watch.stored.seq && performance.now() - watch.storedAt >= STORE_EVERY_MS) await store(watch, upTo);
  watch.seq = upTo;
}

const sightingKey = ({ kind, name }: Pick<Sighting, 'kind' | 'name'>): string => `${kind} ${name}`;

/** Forgetting a count only makes an event say less. */
function count({ checks, stored }: Watch, { name, seq, checks: more }: Sighting): void {
  if (seq <= stored.quietSeq) return;
  if (checks.size >= KNOWN_MAX && !checks.has(name)) checks.clear();
  checks.set(name, (checks.get(name) ?? 0) + more);
}

/** Forgetting it only means reading the table again. */
function keep(watch: Watch, one: Sighting, until: number): void {
  if (watch.quietUntil.size >= KNOWN_MAX) watch.quietUntil.clear();
  watch.quietUntil.set(sightingKey(one), until);
}

const quietAfter = ({ kind }: Sighting, announcedAt: number): number =>
  kind === 'seen' ? Number.POSITIVE_INFINITY : announcedAt + SPOOFED_EVERY_MS;

async function findUnannounced(watch: Watch, due: readonly Sighting[], now: number): Promise<Sighting[]> {
  const result: Sighting[] = [];
  for (const kind of ['seen', 'spoofed'] as const) {
    const own = due.filter((one) => one.kind === kind);
    const names = own.map(({ name }) => name);
    const announced = await findAnnounced(watch.deps.db, kind, names);
    for (const one of own) {
      const at = announced.get(one.name);
      const quiet = at === undefined ? Number.NEGATIVE_INFINITY : quietAfter(one, at ?? Number.NEGATIVE_INFINITY);
      if (quiet > now) keep(watch, one, quiet);
      else if (one.kind === 'seen' || one.seq > watch.stored.quietSeq) result.push(one);
    }
  }
  return result;
}

/** Stores that all decisions up to `upTo` are known, with what is to be announced of them. */
async function announce(watch: Watch, sightings: readonly Sighting[], upTo: number): Promise<void> {
  const { db, changes, clock } = watch.deps;
  const now = clock.now();
  const pending = [...watch.checks].map(([name, checks]) => putPending(name, checks));
  const steps: Step[] = [moveCursor(watch.stored.seq, upTo), ...pending];
  const announced: Change[] = [];
  for (const one of sightings) {
    const first = await findFirst(db, one.seq);
    const isQuiet = one.seq <= watch.stored.quietSeq;
    steps.push(putSighting(one, first?.at ?? now, isQuiet ? null : now));
    if (!isQuiet) announced.push(toChange(watch, one, first));
  }
  const edit = { steps, changes: announced, status: 200, body: null };
  let attempts = 0;
  await changes.commit(SYSTEM, 'sightings', async () => {
    // A second attempt would find the cursor moved by another node, or by the first.
    if (attempts++ > 0) throw new Conflict('Another node was faster.');
    return edit;
  });
  for (const one of sightings) {
    keep(watch, one, quietAfter(one, now));
    watch.checks.delete(one.name);
  }
  moved(watch, upTo);
}

async function store(watch: Watch, upTo: number): Promise<void> {
  const pending = [...watch.checks].map(([name, checks]) => putPending(name, checks));
  await watch.deps.db.atomic([moveCursor(watch.stored.seq, upTo), ...pending]);
  moved(watch, upTo);
}

function moved(watch: Watch, seq: number): void {
  watch.stored = { ...watch.stored, seq };
  watch.storedAt = performance.now();
}

function toChange(
  { deps: { ledgerNo }, checks }: Watch,
  { kind, name, seq }: Sighting,
  first: Awaited<ReturnType<typeof findFirst>>,
): Change {
  const decision = first === undefined ? null : decisionId(ledgerNo, first.at, seq);
  const seen = first === undefined ? null : toIso(first.at);
  const common = { id: name, firstSeen: seen, decisionId: decision };
  return kind === 'seen'
    ? {
        kind: 'crawler.first_seen',
        id: name,
        object: { ...common, object: 'crawler_sighting', crawler: name, verified: first?.verified ?? null },
      }
    : {
        kind: 'requester.spoofed',
        id: name,
        object: { ...common, object: 'spoofing', claimed: name, checks: checks.get(name) ?? 1 },
      };
}

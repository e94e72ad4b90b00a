/**
 * Reads the subjects of checks from the database: for `asOf`, the collections, the policy version, the requester and
 * its licenses as they were; the item as it is now. Where history does not reach back far enough, the check is
 * refused, never guessed.
 */
import { type InForce, openPastCollections } from '../collections/known.ts';
import { type Content, toContentFacts } from '../content/content.ts';
import { contentNotFound } from '../content/edits.ts';
import { placeOf } from '../content/placement.ts';
import { findContents } from '../content/store.ts';
import type { Db } from '../db/db.ts';
import { Failure, fail } from '../errors.ts';
import { toIso } from '../lib/clock.ts';
import { type CompiledPolicy, compile } from '../policies/compile.ts';
import { findVersionAt } from '../policies/store.ts';
import { type Past, requesterAt } from '../requesters/history.ts';
import { findPast } from '../requesters/store.ts';
import type { Ask } from './ask.ts';
import { ANONYMOUS, type KnownRequester, type Subject } from './facts.ts';

/** The policy and the requester of a check, now or at a past time (epoch ms). Both throw invalid_request. */
export interface SubjectSource {
  inForce(at: number | undefined): Promise<InForce>;
  policy(id: string, at: number | undefined): CompiledPolicy | Promise<CompiledPolicy>;
  requester(id: string, at: number | undefined): Promise<KnownRequester>;
}

/** Returns each ask's subject, or the reason it has none. Throws Unavailable. */
export async function readSubjects(
  db: Db,
  asks: readonly Ask[],
  source: SubjectSource,
): Promise<Map<Ask, Subject | Failure>> {
  const subjects = new Map<Ask, Subject | Failure>();
  if (asks.length === 0) return subjects;
  const contents = await findContents(
    db,
    asks.map((ask) => ask.contentId),
  );
  for (const ask of asks) {
    try {
      subjects.set(ask, await toSubject(source, contents.get(ask.contentId), ask));
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      subjects.set(ask, error);
    }
  }
  return subjects;
}

async function toSubject(source: SubjectSource, content: Content | undefined, ask: Ask): Promise<Subject> {
  const { asOf, requesterId } = ask;
  if (content === undefined) throw contentNotFound(ask.contentId);
  if (asOf !== undefined && content.createdAt > asOf) {
    throw outOfReach(`The item was registered on ${toIso(content.createdAt)}`);
  }
  const place = placeOf(content, await source.inForce(asOf));
  const policy = await source.policy(place.policyId, asOf);
  const requester = requesterId === undefined ? ANONYMOUS : await source.requester(requesterId, asOf);
  return { content: toContentFacts(content, place), policy, requester };
}

const outOfReach = (why: string): Failure =>
  fail('invalid_request', `${why}; history does not reach back to \`asOf\`.`, { param: 'asOf' });

/** History, for asks that all have `asOf`. Reads and compiles what a batch needs once. */
export function openHistory(db: Db) {
  const policies = new Map<string, CompiledPolicy>();
  const pasts = new Map<string, Past>();
  const inForceAt = openPastCollections(db);
  return {
    inForce: (at: number | undefined): Promise<InForce> => inForceAt(at as number),
    async policy(id: string, at: number | undefined): Promise<CompiledPolicy> {
      const version = await findVersionAt(db, id, at as number);
      if (version === undefined) throw outOfReach(`The policy ${id} of the item was created later`);
      const name = `${version.no}.${version.version}`;
      const compiled = policies.get(name) ?? compile(version);
      policies.set(name, compiled);
      return compiled;
    },
    async requester(id: string, at: number | undefined): Promise<KnownRequester> {
      const past = pasts.get(id) ?? (await findPast(db, id));
      pasts.set(id, past);
      const requester = requesterAt(past, at as number);
      if (requester === undefined) throw outOfReach(`The state of the requester ${id} at that time is not known`);
      return requester;
    },
  };
}

/**
 * `asOf`: a check decided as of a moment. Promise: the policy version, the requester and its licences are those of that
 * moment, and the time is; the item is taken as it is now. Where history does not reach, it says so and does not guess.
 */
import { type Content, toContentFacts } from '../content/content.ts';
import { contentNotFound } from '../content/edits.ts';
import { findContents } from '../content/store.ts';
import type { Db } from '../db/db.ts';
import { Failure, fail } from '../errors.ts';
import { parseMoment } from '../http/formats.ts';
import { toIso } from '../lib/clock.ts';
import { type CompiledPolicy, compile } from '../policies/compile.ts';
import { findVersionAt } from '../policies/store.ts';
import { type Past, requesterAt } from '../requesters/history.ts';
import { findPast } from '../requesters/store.ts';
import type { CheckRequest } from './schema.ts';
import type { KnownRequester } from './snapshot.ts';
import { ANONYMOUS, type Subject } from './subject.ts';

/** The moment a check is to be decided as of; undefined for now. */
export const asOfMoment = ({ asOf }: CheckRequest): number | undefined =>
  asOf === undefined ? undefined : parseMoment(asOf);

/** For those of the requests that carry `asOf`. Throws Unavailable. */
export async function subjectsOfPast(
  db: Db,
  requests: readonly CheckRequest[],
): Promise<Map<CheckRequest, Subject | Failure>> {
  const subjects = new Map<CheckRequest, Subject | Failure>();
  const dated = requests.filter((request) => request.asOf !== undefined);
  if (dated.length === 0) return subjects;
  const contents = await findContents(
    db,
    dated.map((request) => request.contentId),
  );
  const archive = openArchive(db);
  for (const request of dated) {
    subjects.set(request, await asFailure(() => subjectAt(archive, contents.get(request.contentId), request)));
  }
  return subjects;
}

async function subjectAt(archive: Archive, content: Content | undefined, request: CheckRequest): Promise<Subject> {
  const at = asOfMoment(request) ?? 0;
  if (content === undefined) throw contentNotFound(request.contentId);
  requireThere(content, at);
  const policy = await archive.policy(content.policyId, at);
  const requester = request.requesterId === undefined ? ANONYMOUS : await archive.requester(request.requesterId, at);
  return { content: toContentFacts(content), policy, requester };
}

/** Throws invalid_request for an item that was registered after the moment. */
export function requireThere(content: Content, at: number): void {
  if (content.createdAt > at) throw notReached(`The item was registered on ${toIso(content.createdAt)}`);
}

const notReached = (why: string): Failure =>
  fail('invalid_request', `${why}; history does not reach back to \`asOf\`.`, { param: 'asOf' });

export interface Archive {
  /** Throws invalid_request. */
  policy(id: string, at: number): Promise<CompiledPolicy>;
  /** Throws invalid_request. */
  requester(id: string, at: number): Promise<KnownRequester>;
}

/** Reads and compiles what a batch asks for once. */
export function openArchive(db: Db): Archive {
  const policies = new Map<string, CompiledPolicy>();
  const pasts = new Map<string, Past>();
  return {
    async policy(id, at) {
      const version = await findVersionAt(db, id, at);
      if (version === undefined) throw notReached(`The policy ${id} of the item was created later`);
      const name = `${version.no}.${version.version}`;
      const compiled = policies.get(name) ?? compile(version);
      policies.set(name, compiled);
      return compiled;
    },
    async requester(id, at) {
      const past = pasts.get(id) ?? (await findPast(db, id));
      pasts.set(id, past);
      const requester = requesterAt(past, at);
      if (requester === undefined) throw notReached(`What the requester ${id} was then is not known`);
      return requester;
    },
  };
}

/** What `work` gives or refuses with. */
export async function asFailure<T>(work: () => Promise<T>): Promise<T | Failure> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}

/**
 * Reads the subjects of checks from the database: for `asOf`, the collections, the policy version, the requester and
 * its licenses as they were; the item as it is now. Where history does not reach back far enough, the check is
 * refused, never guessed.
 */

import { Failure, fail } from '../../api/errors.ts';
import { type FoundContent, foundAt, readAddress, toPage } from '../../content/address.ts';
import { type InForce, openPastCollections } from '../../content/collections/known.ts';
import { loosened } from '../../content/collections/loosened.ts';
import { type Content, toContentFacts } from '../../content/content.ts';
import { contentNotFound } from '../../content/edits.ts';
import { placesOf, toPlace } from '../../content/placement.ts';
import { findContent, findContents } from '../../content/store.ts';
import { UndecidedUrl } from '../../content/undecided.ts';
import type { Db } from '../../db/db.ts';
import { toIso } from '../../lib/clock.ts';
import type { Locator } from '../../lib/urls/locator.ts';
import { findVersionAt } from '../../policies/store.ts';
import { type Past, requesterAt } from '../../requesters/licenses/history.ts';
import { findPast } from '../../requesters/store.ts';
import { type CompiledPolicy, compile } from '../../rules/compile.ts';
import type { ContentFacts, VisitedPage } from '../../rules/facts.ts';
import { toSubject } from '../snapshot/snapshot.ts';
import {
  ANONYMOUS,
  type KnownRequester,
  type PlacedReadings,
  type PlacedSubject,
  type Subject,
  type SubjectAsk,
  together,
} from '../snapshot/subject.ts';

/** The policy and the requester of a check, now or at a past time (epoch ms). Both throw invalid_request. */
export interface SubjectSource {
  inForce(at: number | undefined): Promise<InForce>;
  /** `first`: the policy of the plainest reading of the URL; that of the item where the check names one. */
  policy(id: string, at: number | undefined, first: string): CompiledPolicy | Promise<CompiledPolicy>;
  requester(id: string, at: number | undefined): Promise<KnownRequester>;
}

/** Returns each ask's subject, or the reason it has none. Throws Unavailable. */
export async function readSubjects<A extends SubjectAsk>(
  db: Db,
  asks: readonly A[],
  source: SubjectSource,
): Promise<Map<A, Subject | Failure>> {
  const subjects = new Map<A, Subject | Failure>();
  if (asks.length === 0) return subjects;
  const contents = await findContents(
    db,
    asks.flatMap(({ contentId }) => contentId ?? []),
  );
  for (const ask of asks) {
    try {
      const { contentId, locator } = ask;
      if (locator !== undefined) subjects.set(ask, await toSubjectAt(db, source, locator, ask));
      else subjects.set(ask, await toSubjectOf(source, contents.get(contentId as string), ask));
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      subjects.set(ask, error);
    }
  }
  return subjects;
}

async function toSubjectOf(source: SubjectSource, content: Content | undefined, ask: SubjectAsk): Promise<Subject> {
  const { asOf } = ask;
  if (content === undefined) throw contentNotFound(ask.contentId as string);
  if (asOf !== undefined && content.createdAt > asOf) {
    throw outOfReach(`The item was registered on ${toIso(content.createdAt)}`);
  }
  const place = toPlace(content, await source.inForce(asOf));
  const policy = await source.policy(place.policyId, asOf, place.policyId);
  return { content: toContentFacts(content, place), policy, requester: await loadRequester(source, ask) };
}

const loadRequester = async (source: SubjectSource, { requesterId, asOf }: SubjectAsk): Promise<KnownRequester> =>
  requesterId === undefined ? ANONYMOUS : source.requester(requesterId, asOf);

/** Decides by the items that are there now if they were registered by then, else by the collections of then. */
async function toSubjectAt(db: Db, source: SubjectSource, locator: Locator, ask: SubjectAsk): Promise<Subject> {
  const { asOf } = ask;
  const inForce = await source.inForce(asOf);
  const items = new Map<string, Content>();
  const at = await readAddress(db, { locator, urls: ask.urls }, inForce, async (id) => {
    const content = await findContent(db, id);
    if (content === undefined || content.createdAt > (asOf ?? content.createdAt)) return false;
    items.set(id, content);
    return true;
  });
  if (typeof at === 'string') throw new UndecidedUrl(locator, at);
  const placed: PlacedSubject[] = [];
  for (const found of foundAt(at)) {
    for (const { content, page } of placesFor(found, items, inForce)) {
      const policy = await source.policy(page.policyId, asOf, placed[0]?.page?.policyId ?? page.policyId);
      placed.push({ content, page, policy });
    }
  }
  return toSubject(together(at, placed) as PlacedReadings, await loadRequester(source, ask));
}

function placesFor(
  found: FoundContent,
  items: ReadonlyMap<string, Content>,
  inForce: InForce,
): { content: ContentFacts | null; page: VisitedPage }[] {
  if ('page' in found) return [{ content: null, page: found.page }];
  const { id, locator, asked, urls } = found;
  const content = items.get(id) as Content;
  const places = urls === undefined ? [toPlace(content, inForce)] : placesOf(content, loosened(inForce, urls));
  return places.map((place) => ({
    content: toContentFacts(content, place),
    page: withAsked(toPage(locator, place), asked),
  }));
}

const withAsked = (page: VisitedPage, asked: Locator | undefined): VisitedPage =>
  asked === undefined ? page : { ...page, asked };

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

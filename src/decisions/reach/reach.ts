/** Answers who may have an item, a collection, and what a requester may have, with the facts that were assumed. */
import { Failure } from '../../api/errors.ts';
import type { Collection } from '../../content/collections/collection.ts';
import { collectionNotFound } from '../../content/collections/edits.ts';
import { contentNotFound } from '../../content/edits.ts';
import { ID_FORM } from '../../content/list-store.ts';
import { fromCursor, InvalidCursor, idForm, PAGE_DEFAULT, toCursor } from '../../db/page.ts';
import { Slices } from '../../lib/slices.ts';
import type { CompiledPolicy } from '../../rules/compile.ts';
import { decide, type Evaluation, toMatchedRule } from '../../rules/decide.ts';
import { findAssumptions, findDependencies } from '../../rules/reach.ts';
import { evaluate } from '../check/draft.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import { ANONYMOUS, type KnownRequester, type Subject } from '../snapshot/subject.ts';
import { factsAt, findReached, type ReachAsker, type ReachDeps, type ReachedItem, toCollectionPlace } from './items.ts';
import { findReaders } from './readers.ts';
import type { ReachQuery, ReadersQuery } from './schema.ts';

export interface ReachRouteDeps extends ReachDeps {
  snapshot: Pick<Snapshot, 'inForce' | 'findPolicy' | 'findRequester' | 'loadSubjects'>;
  /** The clock of decisions, epoch ms. */
  now(): number;
}

const COLLECTION_FORM = idForm('col_');

/** Returns a page of what a requester may have: pages of collections first, then items. Throws InvalidCursor. */
export async function listReach(deps: ReachRouteDeps, requesterId: string, query: ReachQuery) {
  const { limit = PAGE_DEFAULT, collectionId } = query;
  const before = readPosition(query.cursor);
  const requester = await deps.snapshot.findRequester(requesterId);
  const asker = { id: requesterId, requester, inputs: stated(query), at: deps.now() };
  const pages = await findPages(deps, { asker, collectionId, before });
  const shown = pages.found.slice(0, limit);
  const last = shown.length === limit ? shown.at(-1)?.collection.id : undefined;
  const begun = before !== undefined && ID_FORM.test(before) ? before : undefined;
  // After a full page of collections, only whether there are items is asked.
  const rest = last === undefined ? limit - shown.length : 1;
  const items = await findReached(deps, { asker, collectionId, before: begun, limit: rest });
  const isMore = pages.found.length > limit || items.found.length > 0 || items.next !== null;
  const next = last === undefined ? items.next : isMore ? last : null;
  return {
    ...toPage([...shown.map(toPageReach), ...(last === undefined ? items.found.map(toItemReach) : [])], next),
    requesterId,
    registered: requester.facts !== null,
    assumptions: findAssumptions([...pages.policies, ...items.policies], { stated: named(query), pages: pages.any }),
  };
}

const toPage = <T>(data: T[], next: string | null) => ({
  object: 'list' as const,
  data,
  hasMore: next !== null,
  totalCount: null,
  nextCursor: next === null ? null : toCursor(next),
});

function readPosition(cursor: string | undefined): string | undefined {
  if (cursor === undefined) return undefined;
  try {
    return fromCursor(cursor, ID_FORM);
  } catch (error) {
    if (!(error instanceof InvalidCursor)) throw error;
    return fromCursor(cursor, COLLECTION_FORM);
  }
}

/** Leaves out what is not stated. */
const stated = ({ purpose, permission }: Pick<ReachQuery, 'purpose' | 'permission'>) => ({
  ...(purpose === undefined ? {} : { purpose }),
  ...(permission === undefined ? {} : { permission }),
});

const named = (query: Pick<ReachQuery, 'purpose' | 'permission'>): string[] => Object.keys(stated(query));

interface PageReach {
  collection: Collection;
  evaluation: Evaluation;
}

/** Finds the collections whose pages the requester may have, newest first. */
async function findPages(
  { snapshot }: ReachRouteDeps,
  { asker, collectionId, before }: { asker: ReachAsker; collectionId: string | undefined; before: string | undefined },
) {
  const inForce = await snapshot.inForce();
  const all = inForce.index.all().filter((one) => hasPages(one) && (collectionId ?? one.id) === one.id);
  const policies = new Set<CompiledPolicy>();
  const found: PageReach[] = [];
  const slices = new Slices();
  for (const collection of all.toSorted((one, other) => (one.id < other.id ? 1 : -1))) {
    const place = toCollectionPlace(collection, inForce);
    const policy = await snapshot.findPolicy(place.policyId);
    if (policy === undefined) continue;
    policies.add(policy);
    if (before !== undefined && !(COLLECTION_FORM.test(before) && collection.id < before)) continue;
    const facts = factsAt(asker, place);
    const verdict = decide(policy, facts);
    if (verdict.reason === null) found.push({ collection, evaluation: { policy, facts, verdict } });
    await slices.next();
  }
  return { found, policies, any: all.length > 0 };
}

/** A collection of kinds of items has no pages but those of items. */
export const hasPages = ({ contentTypes, contentTags }: Collection): boolean =>
  contentTypes.length === 0 && contentTags.length === 0;

const toPageReach = ({ collection, evaluation }: PageReach) => ({
  object: 'reach' as const,
  contentId: null,
  externalId: null,
  collectionId: collection.id,
  title: collection.name,
  type: null,
  source: null,
  policyId: evaluation.policy.id,
  ...toGranted(evaluation),
});

const toItemReach = ({ item, evaluation }: ReachedItem) => ({
  object: 'reach' as const,
  contentId: item.id,
  externalId: item.externalId,
  collectionId: evaluation.facts.place.collectionId,
  title: item.title,
  type: item.type,
  source: item.source,
  policyId: evaluation.policy.id,
  ...toGranted(evaluation),
});

function toGranted(evaluation: Evaluation) {
  const { facts, verdict } = evaluation;
  return {
    permissions: [...verdict.permissions],
    licenseId: verdict.rule?.licenseOf?.(facts)?.id ?? null,
    matchedRule: toMatchedRule(verdict.rule),
    enforced: !facts.place.observed,
    dependsOn: findDependencies(evaluation),
  };
}

/** Returns a page of the requesters that may have an item. Throws content_not_found, InvalidCursor. */
export async function listItemReaders(deps: ReachRouteDeps, ref: string, query: ReadersQuery) {
  const ask = { contentId: ref, ...stated(query) };
  const subject = (await deps.snapshot.loadSubjects([ask])).get(ask);
  if (subject === undefined || subject instanceof Failure) throw subject ?? contentNotFound(ref);
  const at = deps.now();
  const decideFor: Decide = (requesterId, requester) =>
    evaluate({ ...subject, requester }, { ...ask, ...(requesterId === null ? {} : { requesterId }) }, at);
  return listReaders(deps, query, { policy: subject.policy, decideFor, ...toPlaceAnswer(subject) });
}

const toPlaceAnswer = ({ content }: Pick<Subject, 'content'>) => ({
  contentId: content?.id ?? null,
  collectionId: content?.collectionId ?? null,
});

/** Returns a page of the requesters that may have pages of a collection. Throws collection_not_found, InvalidCursor. */
export async function listCollectionReaders(deps: ReachRouteDeps, id: string, query: ReadersQuery) {
  const inForce = await deps.snapshot.inForce();
  const collection = inForce.index.get(id);
  if (collection === undefined) throw collectionNotFound(id);
  const place = toCollectionPlace(collection, inForce);
  const policy = await deps.snapshot.findPolicy(place.policyId);
  if (policy === undefined) throw collectionNotFound(id);
  const at = deps.now();
  const decideFor: Decide = (requesterId, requester) => {
    const facts = factsAt({ id: requesterId, requester, inputs: stated(query), at }, place);
    return { policy, facts, verdict: decide(policy, facts) };
  };
  return listReaders(deps, query, { policy, decideFor, contentId: null, collectionId: id });
}

type Decide = (id: string | null, requester: KnownRequester) => Evaluation;

interface Readable {
  policy: CompiledPolicy;
  decideFor: Decide;
  contentId: string | null;
  collectionId: string | null;
}

async function listReaders(
  { db }: ReachRouteDeps,
  query: ReadersQuery,
  { policy, decideFor, contentId, collectionId }: Readable,
) {
  const { limit = PAGE_DEFAULT } = query;
  const cursor = query.cursor === undefined ? undefined : fromCursor(query.cursor, /^/);
  const { found, next } = await findReaders(db, { policy, decideFor, cursor, limit });
  const anonymous = decideFor(null, ANONYMOUS);
  const { permissions, matchedRule, dependsOn } = toGranted(anonymous);
  const readers = found.map(({ id, name, evaluation }) => ({
    object: 'reader' as const,
    requesterId: id,
    name,
    ...toGranted(evaluation),
  }));
  return {
    ...toPage(readers, next),
    contentId,
    collectionId,
    policyId: policy.id,
    anonymous: { allowed: anonymous.verdict.reason === null, permissions, matchedRule, dependsOn },
    assumptions: findAssumptions([policy], { stated: named(query), pages: contentId === null }),
  };
}

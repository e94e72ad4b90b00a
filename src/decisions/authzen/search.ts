/**
 * Searches of OpenID AuthZEN: the requesters, items and permissions that evaluations would allow now. Nothing is
 * recorded. An input that is not known, by its id or its type, leads to no results, as the specification has it.
 */
import { createHash } from 'node:crypto';
import { Failure, fail } from '../../api/errors.ts';
import type { Caller } from '../../api/permissions.ts';
import { ID_FORM } from '../../content/list-store.ts';
import { fromCursor, toCursor } from '../../db/page.ts';
import { Slices } from '../../lib/slices.ts';
import { sortedJson } from '../../rules/canonical.ts';
import { list } from '../../rules/conditions/match.ts';
import type { Evaluation } from '../../rules/decide.ts';
import { GRANTS } from '../../rules/policy.ts';
import { type Ask, accept } from '../check/ask.ts';
import type { CheckDeps } from '../check/check.ts';
import { decidingReading, evaluate } from '../check/draft.ts';
import { findReached } from '../reach/items.ts';
import { findReaders } from '../reach/readers.ts';
import { ANONYMOUS, type KnownRequester, type Subject } from '../snapshot/subject.ts';
import { judgeAddresses } from '../visitors/address.ts';
import type { EvaluationRequest } from './schema.ts';
import type { ActionSearch, ResourceSearch, SubjectSearch } from './search-schema.ts';
import { isUrl, toCheck, toUnknown } from './translate.ts';

/** Types that every requester, and every item or URL, has. */
const ANY_REQUESTER = 'requester';
const ANY_CONTENT = 'content';
/** Stand for what is searched for. */
const ANY_ID = 'any';
const ANY_ACTION = 'any';

const LIMIT_DEFAULT = 100;
const LIMIT_MAX = 1_000;

export async function searchSubjects(deps: CheckDeps, caller: Caller, body: SubjectSearch) {
  const { subject, resource } = body;
  const { id: _, ...sought } = subject as { id?: unknown; type: string; properties?: object };
  const page = readPage(body, [sought, body.action, resource, body.context]);
  const ask = toAsk(deps, caller, { ...body, subject: { ...sought, id: ANY_ID } });
  const found = await findSubject(deps, ask, resource.type);
  if (found === undefined) return page.answer([], null);
  if (page.limit === 0) return page.answer([], page.after);
  const decideFor = (id: string | null, requester: KnownRequester): Promise<Evaluation | undefined> =>
    decideOne(deps, { ...found, requester }, { ...ask, requesterId: id as string });
  const kind = subject.type === ANY_REQUESTER ? undefined : subject.type;
  const readers = await findReaders(deps.db, {
    policy: found.policy,
    decideFor,
    kind,
    registered: true,
    observed: true,
    cursor: page.after,
    limit: page.limit,
  });
  return page.answer(
    readers.found.map(({ id }) => ({ type: subject.type, id })),
    readers.next,
  );
}

export async function searchResources(deps: CheckDeps, caller: Caller, body: ResourceSearch) {
  const { subject, resource } = body;
  const { id: _, ...sought } = resource as { id?: unknown; type: string; properties?: object };
  const page = readPage(body, [subject, body.action, sought, body.context]);
  const ask = toAsk(deps, caller, { ...body, resource: { ...sought, id: ANY_ID } });
  const requester = await findKnown(deps, subject);
  if (requester === undefined) return page.answer([], null);
  if (page.limit === 0) return page.answer([], page.after);
  if (page.after !== undefined && !ID_FORM.test(page.after)) throw otherSearch();
  const judged = await judge(deps, ask);
  const isNamed = judged.requesterId !== undefined;
  const { found, next } = await findReached(deps, {
    asker: {
      id: judged.requesterId ?? null,
      requester: isNamed ? requester : ANONYMOUS,
      inputs: judged,
      at: deps.ledger.now(),
    },
    kind: resource.type === ANY_CONTENT ? undefined : resource.type,
    observed: true,
    before: page.after,
    limit: page.limit,
  });
  return page.answer(
    // An evaluation takes an id that looks like a URL for one.
    found.map(({ item }) => ({ type: resource.type, id: isUrl(item.externalId) ? item.id : item.externalId })),
    next,
  );
}

export async function searchActions(deps: CheckDeps, caller: Caller, body: ActionSearch) {
  const { subject, resource } = body;
  const page = readPage(body, [subject, resource, body.context]);
  const ask = toAsk(deps, caller, { ...body, action: { name: ANY_ACTION } });
  const requester = await findKnown(deps, subject);
  const found = requester && (await findSubject(deps, ask, resource.type));
  if (requester === undefined || found === undefined) return page.answer([], null);
  const results: { name: string }[] = [];
  const slices = new Slices();
  let last = page.after;
  for (const name of actionsAt(found).filter((one) => one > (page.after ?? ''))) {
    if (results.length === page.limit) return page.answer(results, last);
    const decided = await decideOne(deps, { ...found, requester }, { ...ask, permission: name });
    if (decided !== undefined && isLet(decided)) results.push({ name });
    last = name;
    await slices.next();
  }
  return page.answer(results, null);
}

/** Returns the permissions with a meaning, and those that rules name, in order. */
function actionsAt({ policy, others = [] }: Subject): string[] {
  const rules = [policy, ...others.map((one) => one.policy)].flatMap((one) => one.rules);
  const named = rules.flatMap(({ permissions, conditions: { permission = [], permissionNot = [] } }) => [
    ...permissions,
    ...list(permission as string[]),
    ...list(permissionNot as string[]),
  ]);
  return [...new Set([...GRANTS, ...named])].toSorted();
}

/** Where a collection only observes, evaluations let every request pass. */
const isLet = ({ verdict, facts }: Evaluation): boolean => verdict.reason === null || facts.place.observed;

/** Throws invalid_request. */
const toAsk = ({ ledger }: CheckDeps, caller: Caller, evaluation: EvaluationRequest): Ask =>
  accept({ caller, now: ledger.now, dry: true }, toCheck(evaluation));

async function decideOne(deps: CheckDeps, subject: Subject, ask: Ask): Promise<Evaluation | undefined> {
  const judged = await judge(deps, ask);
  const asked = judged.requesterId === ask.requesterId ? subject : { ...subject, requester: ANONYMOUS };
  const at = deps.ledger.now();
  const deciding = decidingReading(asked, judged, at);
  return deciding instanceof Failure ? undefined : evaluate(deciding, judged, at);
}

/** Judges the address, as an evaluation does: a false claim has no requester. */
async function judge(deps: CheckDeps, ask: Ask): Promise<Ask> {
  const [judged] = await judgeAddresses(deps, [ask]);
  return judged as Ask;
}

/** Returns the item or page with this type, or with this tag; undefined: there is none. */
async function findSubject({ snapshot }: CheckDeps, ask: Ask, type: string): Promise<Subject | undefined> {
  const { requesterId: _, ...anybody } = ask;
  const found = (await snapshot.loadSubjects([anybody])).get(anybody);
  if (found instanceof Failure && toUnknown(found) === undefined) throw found;
  if (found === undefined || found instanceof Failure) return undefined;
  return type === ANY_CONTENT || (found.content !== null && isOfKind(found.content, type)) ? found : undefined;
}

/** Returns the requester with this type, or with this tag; undefined: none is registered. */
async function findKnown(
  { snapshot }: CheckDeps,
  { id, type }: EvaluationRequest['subject'],
): Promise<KnownRequester | undefined> {
  const requester = await snapshot.findRequester(id);
  const { facts } = requester;
  return facts !== null && (type === ANY_REQUESTER || isOfKind(facts, type)) ? requester : undefined;
}

const isOfKind = (one: { type: string | null; tags: readonly string[] }, kind: string): boolean =>
  one.type === kind || one.tags.includes(kind);

const DIGEST_LENGTH = 11;
const SEPARATOR = '.';

/** Reads the page that a search asks for. A token is of one search. Throws invalid_request. */
function readPage({ page = {} }: Pick<SubjectSearch, 'page'>, entities: readonly unknown[]) {
  const { token = '', limit = LIMIT_DEFAULT } = page;
  const digest = createHash('sha256')
    .update(sortedJson(entities.map((one) => one ?? null)))
    .digest('base64url')
    .slice(0, DIGEST_LENGTH);
  const [cursor = '', bound, ...rest] = token.split(SEPARATOR);
  if (token !== '' && (bound !== digest || rest.length > 0)) throw otherSearch();
  return {
    limit: Math.min(limit, LIMIT_MAX),
    after: cursor === '' ? undefined : readCursor(cursor),
    /** `next`: the position of the next page, undefined at the first; null: this is the last. */
    answer: <T>(results: T[], next: string | null | undefined) => ({
      page: {
        next_token: next === null ? '' : toCursor(next ?? '') + SEPARATOR + digest,
        count: results.length,
      },
      results,
    }),
  };
}

function readCursor(cursor: string): string {
  try {
    return fromCursor(cursor, /./);
  } catch {
    throw otherSearch();
  }
}

const otherSearch = (): Failure =>
  fail('invalid_request', '`page.token` is of no page of this search: send `next_token` with the same entities.', {
    param: 'page.token',
  });

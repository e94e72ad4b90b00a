/**
 * The requesters that may have something now: registered ones, newest first, then those that a rule names and that are
 * not registered. Each is decided as a check decides it. Nothing is recorded.
 */
import type { Db } from '../../db/db.ts';
import { InvalidCursor, SEQ_FORM } from '../../db/page.ts';
import { Slices } from '../../lib/slices.ts';
import { readRequesters } from '../../requesters/each-store.ts';
import { inServingOrder, toLicenseFacts } from '../../requesters/licenses/license.ts';
import { type Requester, toRequesterFacts } from '../../requesters/requester.ts';
import { findNames } from '../../requesters/store.ts';
import type { CompiledPolicy } from '../../rules/compile.ts';
import { list } from '../../rules/conditions/match.ts';
import { REQUESTER_ID_PATTERN } from '../../rules/conditions/names.ts';
import type { Evaluation } from '../../rules/decide.ts';
import { ANONYMOUS, type KnownRequester } from '../snapshot/subject.ts';

/** Decides for a requester; undefined: nothing is decided, as of a URL that servers read differently. */
export type DecideFor = (
  id: string,
  requester: KnownRequester,
) => Evaluation | undefined | Promise<Evaluation | undefined>;

export interface SoughtReaders {
  policy: CompiledPolicy;
  decideFor: DecideFor;
  /** A type of requester, or a tag. */
  kind?: string | undefined;
  /** Leaves out those that only a rule names. */
  registered?: boolean;
  /** Everybody has items that collections only observe. */
  observed?: boolean;
  cursor: string | undefined;
  limit: number;
}

export interface Reader {
  id: string;
  /** null: not registered. */
  name: string | null;
  evaluation: Evaluation;
}

export interface Readers {
  found: Reader[];
  /** The position of the next page; null: this is the last. */
  next: string | null;
}

/** Requesters decided for a page: it may have fewer than asked for while there are more. */
const DECIDED_MAX = 4_000;
const READ_AT_ONCE = 250;
/** Marks a position among those that are not registered. */
const NAMED = '!';
const REQUESTER_ID = new RegExp(REQUESTER_ID_PATTERN);

/** Throws InvalidCursor. */
export async function findReaders(db: Db, sought: SoughtReaders): Promise<Readers> {
  const { cursor, limit } = sought;
  if (cursor?.startsWith(NAMED)) return findNamed(db, sought, { after: readNamed(cursor), found: [] });
  if (cursor !== undefined && !SEQ_FORM.test(cursor)) throw new InvalidCursor();
  const found: Reader[] = [];
  const slices = new Slices();
  let before = cursor === undefined ? undefined : Number(cursor);
  let last = 0;
  for (let decided = 0; decided < DECIDED_MAX; decided += READ_AT_ONCE) {
    const requesters = await readRequesters(db, { before, kind: sought.kind, limit: READ_AT_ONCE });
    for (const { requester, licenses } of requesters) {
      const held = inServingOrder(licenses).map((license) => toLicenseFacts(license));
      const reader = await read(requester, { facts: toRequesterFacts(requester), licenses: held }, sought);
      if (reader !== undefined && found.length === limit) return { found, next: String(last) };
      if (reader !== undefined) found.push(reader);
      before = last = requester.no;
      await slices.next();
    }
    if (requesters.length < READ_AT_ONCE) return findNamed(db, sought, { after: '', found });
  }
  return { found, next: String(last) };
}

function readNamed(cursor: string): string {
  const after = cursor.slice(NAMED.length);
  if (after !== '' && !REQUESTER_ID.test(after)) throw new InvalidCursor();
  return after;
}

async function read(
  { id, name }: Pick<Requester, 'id'> & { name: string | null },
  requester: KnownRequester,
  { decideFor, observed }: SoughtReaders,
): Promise<Reader | undefined> {
  const evaluation = await decideFor(id, requester);
  if (evaluation === undefined) return undefined;
  const isLet = evaluation.verdict.reason === null || (observed === true && evaluation.facts.place.observed);
  return isLet ? { id, name, evaluation } : undefined;
}

/** Continues with requesters that only a rule names, in the order of their ids. */
async function findNamed(
  db: Db,
  sought: SoughtReaders,
  { after, found }: { after: string; found: Reader[] },
): Promise<Readers> {
  if (sought.registered === true) return { found, next: null };
  const named = sought.policy.rules.flatMap(({ conditions: { requesterId = [] } }) => list(requesterId as string[]));
  const rest = [...new Set(named)].filter((id) => id > after).toSorted();
  const registered = await findNames(db, rest);
  const slices = new Slices();
  let last = after;
  for (const id of rest) {
    const reader = registered.has(id) ? undefined : await read({ id, name: null }, ANONYMOUS, sought);
    if (reader !== undefined && found.length >= sought.limit) return { found, next: NAMED + last };
    if (reader !== undefined) found.push(reader);
    last = id;
    await slices.next();
  }
  return { found, next: null };
}

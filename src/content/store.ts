/** The table `content`; rows never leave this file. */
import type { Db, Row, Step, Value } from '../db/db.ts';
import { type Page, readPage } from '../db/page.ts';
import { searchWords } from '../http/list.ts';
import { words } from '../lib/text.ts';
import { type Content, type ContentType, isContentId, type Status } from './content.ts';
import { keysOf, type LocatorKeys, parseLocator } from './locator.ts';

interface ContentRow extends Row {
  no: number;
  id: string;
  external_id: string;
  title: string;
  type: string;
  source: string;
  policy_id: string;
  metadata: string;
  tags: string;
  status: string;
  revision: number;
  created_at: number;
  updated_at: number;
}

const COLUMNS =
  'no, id, external_id, title, type, source, policy_id, metadata, tags, status, revision, created_at, updated_at';

const toContent = (row: ContentRow): Content => ({
  no: row.no,
  id: row.id,
  externalId: row.external_id,
  title: row.title,
  type: row.type as ContentType,
  source: row.source,
  policyId: row.policy_id,
  metadata: JSON.parse(row.metadata) as Record<string, unknown>,
  tags: JSON.parse(row.tags) as string[],
  status: row.status as Status,
  revision: row.revision,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

/** By id or externalId. */
export async function findContent(db: Db, ref: string): Promise<Content | undefined> {
  const column = isContentId(ref) ? 'id' : 'external_id';
  const [row] = await db.read<ContentRow>(`select ${COLUMNS} from content where ${column} = $1`, [ref]);
  return row && toContent(row);
}

const REFS_AT_ONCE = 200;

/** Those there are of up to thousands of ids or externalIds, by the reference that was given. */
export async function findContents(db: Db, refs: readonly string[]): Promise<Map<string, Content>> {
  const found = new Map<string, Content>();
  for (const [column, field] of [
    ['id', 'id'],
    ['external_id', 'externalId'],
  ] as const) {
    // None has a NUL, and PostgreSQL cannot be asked for one.
    const wanted = [...new Set(refs.filter((ref) => isContentId(ref) === (column === 'id') && !ref.includes('\0')))];
    for (let i = 0; i < wanted.length; i += REFS_AT_ONCE) {
      // Always as many placeholders, so that it is one prepared statement; repeated references find nothing new.
      const some = wanted.slice(i, i + REFS_AT_ONCE);
      const padded = Array.from({ length: REFS_AT_ONCE }, (_, n) => some[n] ?? (some[0] as string));
      const places = padded.map((_, n) => `$${n + 1}`).join(', ');
      const rows = await db.read<ContentRow>(`select ${COLUMNS} from content where ${column} in (${places})`, padded);
      for (const row of rows) {
        const content = toContent(row);
        found.set(content[field], content);
      }
    }
  }
  return found;
}

/**
 * The item that is served at a locator: an active one before an archived one, `many` when several active ones are. With
 * a query that no item has, the item without one, unless the path is one where queries tell items apart: also `many`.
 */
export async function findServedAt(db: Db, keys: LocatorKeys): Promise<string | 'many' | undefined> {
  const exact = await findAt(db, keys);
  if (exact !== undefined || keys.query === '') return exact;
  const others = await db.read(`select 1 as one from content where source_path = $1 and source_query > '' limit 1`, [
    keys.path,
  ]);
  return others.length > 0 ? 'many' : findAt(db, { ...keys, query: '' });
}

/** Ids of the items there are, by externalId. */
export async function findIds(db: Db, externalIds: readonly string[]): Promise<Map<string, string>> {
  const places = externalIds.map((_, n) => `$${n + 1}`).join(', ');
  const rows = await db.read<{ id: string; external_id: string }>(
    `select id, external_id from content where external_id in (${places})`,
    externalIds,
  );
  return new Map(rows.map((row) => [row.external_id, row.id]));
}

async function findAt(db: Db, { path, query }: LocatorKeys): Promise<string | 'many' | undefined> {
  const [first, second] = await db.read<{ id: string; status: string }>(
    'select id, status from content where source_path = $1 and source_query = $2 order by status limit 2',
    [path, query],
  );
  return first?.status === 'active' && second?.status === 'active' ? 'many' : first?.id;
}

export interface ContentFilter {
  type?: ContentType;
  status?: Status;
  policyId?: string;
  tag?: string;
  externalId?: string;
  /** Words that the title has, or that its words begin with. */
  q?: string;
  createdAfter?: number;
  createdBefore?: number;
}

export function listContent(
  db: Db,
  filter: ContentFilter,
  query: { limit?: number; cursor?: string },
): Promise<Page<Content>> {
  const where: string[] = [];
  const params: Value[] = [];
  const add = (condition: (place: string) => string, value: Value | undefined): void => {
    if (value === undefined) return;
    params.push(value);
    where.push(condition(`$${params.length}`));
  };
  add((place) => `type = ${place}`, filter.type);
  add((place) => `status = ${place}`, filter.status);
  add((place) => `policy_id = ${place}`, filter.policyId);
  add((place) => `external_id = ${place}`, filter.externalId);
  add((place) => `replace(tags, ${place}, '') <> tags`, filter.tag && JSON.stringify(filter.tag));
  for (const word of searchWords(filter.q)) {
    add((place) => `title_words like ${place} escape '!'`, `% ${escapeLike(word)}%`);
  }
  add((place) => `created_at > ${place}`, filter.createdAfter);
  add((place) => `created_at < ${place}`, filter.createdBefore);
  return readPage<ContentRow, Content>(
    db,
    { select: `select ${COLUMNS}`, from: 'content', where, params, order: 'id' },
    query,
    /^cnt_\w{26}$/,
    toContent,
  );
}

const escapeLike = (text: string): string => text.replaceAll(/[!%_]/g, '!$&');

function sourceKeys({ source }: Content): [path: string | null, query: string | null] {
  const locator = parseLocator(source);
  if (locator === undefined) return [null, null];
  const { path, query } = keysOf(locator);
  return [path, query];
}

/** A title as `q` finds it. */
const titleWords = (title: string): string => ` ${words(title).join(' ')} `;

export const insertContent = (content: Content): Step => ({
  sql: `insert into content (id, external_id, title, title_words, type, source, policy_id, metadata, tags, status,
          revision, created_at, updated_at, source_path, source_query)
        select $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $12, $13, $14
        where exists (select 1 from policies where id = $7)`,
  params: [
    content.id,
    content.externalId,
    content.title,
    titleWords(content.title),
    content.type,
    content.source,
    content.policyId,
    JSON.stringify(content.metadata),
    JSON.stringify(content.tags),
    content.status,
    content.revision,
    content.createdAt,
    ...sourceKeys(content),
  ],
  // A policy deleted meanwhile is a Conflict: content never points to nothing.
  expect: 1,
});

/** A Conflict unless the stored revision is the one before this. */
export const updateContent = (content: Content): Step => ({
  sql: `update content set title = $2, title_words = $3, type = $4, source = $5, policy_id = $6, metadata = $7, tags = $8,
          status = $9, revision = $10, updated_at = $11, source_path = $12, source_query = $13
        where id = $1 and revision = $10 - 1 and exists (select 1 from policies where id = $6)`,
  params: [
    content.id,
    content.title,
    titleWords(content.title),
    content.type,
    content.source,
    content.policyId,
    JSON.stringify(content.metadata),
    JSON.stringify(content.tags),
    content.status,
    content.revision,
    content.updatedAt,
    ...sourceKeys(content),
  ],
  expect: 1,
});

/** Its decisions are out of every answer with it, and removed from the ledger afterwards. */
export const deleteContent = (content: Content): Step[] => [
  { sql: 'delete from content where id = $1 and revision = $2', params: [content.id, content.revision], expect: 1 },
  { sql: 'insert into purges (content_no) values ($1)', params: [content.no] },
];

/**
 * Archives the items that an earlier import brought and the input no longer has. An item belongs to the import whose
 * name is in its metadata (`importedFrom`): every import with --archive-missing writes it, and the last one counts.
 * Items without it, or with another name, are never touched. An item that this import archived is restored once the
 * input has it again, and one that a person restored stays active.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { metaOf, type Postern } from '../../../client/src/client.ts';
import { PosternError } from '../../../client/src/errors.ts';
import type { Content } from '../../../client/src/types.ts';
import { plain } from '../../lib/terminal-text.ts';
import { misused } from '../outcome.ts';
import { counted } from '../terminal.ts';
import { DigestSet, toDigestNumber } from './digest-set.ts';
import type { Entries } from './entry.ts';
import { isAddress } from './source.ts';

export const IMPORTED_FROM = 'importedFrom';
/** The time at which an import archived the item. */
export const MISSING_SINCE = 'missingSince';

const SHARE_MAX = 0.2;
const AT_ONCE = 4;
const PAGE = 100;
/** Rests as long as it works, so that a walk through millions of items leaves the service to its checks. */
const REST = 1;

export interface MissingOptions {
  archiveMissing?: boolean;
  sourceName?: string;
  archiveMax?: string;
  dryRun?: boolean;
}

export interface SettledCounts {
  archived: number;
  restored: number;
}

interface Settled {
  counts: SettledCounts;
  /** The reason why nothing was archived. */
  refusal?: string;
}

export interface Missing {
  /** The metadata that marks an item as brought by this import; undefined without --archive-missing. */
  mark: Record<string, string> | undefined;
  /** Passes the entries on, and remembers which items there are; also those that a resumed import skips. */
  watch(entries: Entries): Entries;
  /** After the whole input was read and sent. Returns undefined without --archive-missing. */
  settle(postern: Postern | undefined, now: number): Promise<Settled | undefined>;
}

export function openMissing(input: string, options: MissingOptions): Missing {
  const { archiveMissing, archiveMax, dryRun, sourceName } = options;
  if (archiveMissing !== true) {
    if (archiveMax !== undefined || sourceName !== undefined) {
      throw misused('--archive-max and --source-name belong to --archive-missing; add it.');
    }
    return { mark: undefined, watch: (entries) => entries, settle: async () => undefined };
  }
  if (dryRun === true) throw misused('--archive-missing needs the service; leave out --dry-run.');
  const name = sourceName === undefined ? toSourceName(input) : checkedName(sourceName);
  const most = archiveMax === undefined ? undefined : toCount(archiveMax);
  const seen = new DigestSet();
  let unread: string | undefined;
  return {
    mark: { [IMPORTED_FROM]: name },
    async *watch(entries) {
      for await (const some of entries) {
        for (const { at, item } of some) {
          if (typeof item?.externalId === 'string') seen.add(toDigestNumber(item.externalId));
          else unread ??= at;
        }
        yield some;
      }
    },
    async settle(postern, now) {
      if (postern === undefined) return undefined;
      const { owned, missing, back } = await compare(postern, name, seen);
      const restored = await editAll(postern, back, { name, status: 'active', since: null });
      const refusal =
        missing.length === 0 ? undefined : findRefusal({ missing: missing.length, owned, name, most, unread });
      if (refusal !== undefined) return { counts: { restored, archived: 0 }, refusal };
      const since = new Date(now).toISOString();
      return { counts: { restored, archived: await editAll(postern, missing, { name, status: 'archived', since }) } };
    },
  };
}

const NAME_MAX = 200;

function checkedName(name: string): string {
  if (name.trim() !== '' && name.length <= NAME_MAX && !/\p{Cc}/u.test(name)) return name;
  throw misused(`--source-name must have 1 to ${NAME_MAX} characters, without control characters.`);
}

/** A file may lie anywhere, and a query or a password may be a secret. */
function toSourceName(input: string): string {
  const url = isAddress(input) && URL.canParse(input) ? new URL(input) : undefined;
  const name = url === undefined ? '' : url.origin + url.pathname;
  if (url?.search === '' && url.username === '' && url.password === '' && name.length <= NAME_MAX) return name;
  throw misused(
    '--archive-missing needs a name for this input, the same in every run: --source-name <name>. Only an address without query and password is its own name.',
  );
}

function toCount(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw misused(`--archive-max must be a whole number, not "${text}".`);
  return Number(text);
}

interface Compared {
  /** Active items of this import. */
  owned: number;
  /** The ids of those that the input does not have. */
  missing: string[];
  /** The ids of items that this import archived and the input has again. */
  back: string[];
}

async function compare(postern: Postern, name: string, seen: Pick<DigestSet, 'has'>): Promise<Compared> {
  const compared: Compared = { owned: 0, missing: [], back: [] };
  let began = performance.now();
  let left = PAGE;
  for await (const item of postern.listContent({ limit: PAGE })) {
    compareOne(compared, item, { name, seen });
    if (--left > 0) continue;
    left = PAGE;
    await rest(began);
    began = performance.now();
  }
  return compared;
}

function compareOne(
  compared: Compared,
  { id, externalId, status, metadata }: Content,
  { name, seen }: { name: string; seen: Pick<DigestSet, 'has'> },
): void {
  if (metadata[IMPORTED_FROM] !== name) return;
  // Two ids with one digest only keep an item that could be archived.
  const isThere = seen.has(toDigestNumber(externalId));
  const wasMissing = typeof metadata[MISSING_SINCE] === 'string';
  if (status === 'active') compared.owned++;
  if (isThere && wasMissing) compared.back.push(id);
  // An item that was missing and is active was restored by a person.
  if (!isThere && !wasMissing && status === 'active') compared.missing.push(id);
}

const rest = (began: number): Promise<void> => pause((performance.now() - began) * REST);

interface Found {
  missing: number;
  owned: number;
  name: string;
  most: number | undefined;
  /** An entry whose item is unknown. */
  unread: string | undefined;
}

/** A sitemap that was cut off, or a site that is being moved, must not archive a catalog. */
function findRefusal({ missing, owned, name, most, unread }: Found): string | undefined {
  const gone = `${missing} of ${counted(owned, 'item')} from ${plain(name)} are not in the input`;
  if (unread !== undefined) {
    return `Nothing was archived: ${gone}, but ${plain(unread)} cannot be read and could be one of them.`;
  }
  if (missing <= (most ?? Math.floor(owned * SHARE_MAX))) return undefined;
  const bound = most === undefined ? 'more than 20 %' : `more than --archive-max ${most}`;
  return `Nothing was archived: ${gone}, ${bound}. If the input is right, pass --archive-max ${missing}.`;
}

interface ItemEdit {
  name: string;
  status: Content['status'];
  since: string | null;
}

/** Returns how many changed their status. Items that were edited in between are left to the next import. */
async function editAll(postern: Postern, ids: readonly string[], edit: ItemEdit): Promise<number> {
  let count = 0;
  for (let i = 0; i < ids.length; i += AT_ONCE) {
    const began = performance.now();
    const done = await Promise.all(ids.slice(i, i + AT_ONCE).map((id) => editOne(postern, id, edit)));
    count += done.filter(Boolean).length;
    await rest(began);
  }
  return count;
}

async function editOne(postern: Postern, id: string, { name, status, since }: ItemEdit): Promise<boolean> {
  try {
    const item = await postern.getContent(id);
    const etag = metaOf(item)?.etag;
    if (item.metadata[IMPORTED_FROM] !== name || etag == null) return false;
    await postern.updateContent(id, { status, metadata: { [MISSING_SINCE]: since } }, { ifMatch: etag });
    return item.status !== status;
  } catch (error) {
    const isChanged =
      error instanceof PosternError && ['precondition_failed', 'content_not_found'].includes(error.code);
    if (isChanged) return false;
    throw error;
  }
}

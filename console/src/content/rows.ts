/**
 * Maps rows of a file to items and finds problems before sending. Pure. The service validates again.
 */
import { CONTENT_TYPES } from '../../../client/src/generated/vocabularies.ts';

export const FIELDS = ['externalId', 'title', 'type', 'source', 'policyId', 'tags', 'metadata'] as const;
export type Field = (typeof FIELDS)[number];
/** The names of the fields in forms. */
export const LABELS: Readonly<Record<Field, string>> = {
  externalId: 'External id',
  title: 'Title',
  type: 'Type',
  source: 'Source',
  policyId: 'Policy',
  tags: 'Tags',
  metadata: 'Metadata',
};
export const REQUIRED: readonly Field[] = ['externalId', 'title', 'type', 'source'];

export type Source = Record<string, unknown>;
/** The column of each field; absent without one. */
export type Mapping = Partial<Record<Field, string>>;
export interface Defaults {
  type: string;
  policyId: string;
}

export interface Row {
  /** Line or record number in the file, from 1. */
  number: number;
  item: Record<string, unknown>;
  /** The reason the service will refuse it. */
  problem: string | undefined;
}

const NAMES: Record<Field, readonly string[]> = {
  externalId: ['externalid', 'id', 'key', 'sku', 'identifier', 'slug'],
  title: ['title', 'name', 'headline'],
  type: ['type', 'kind', 'contenttype'],
  source: ['source', 'url', 'link', 'href', 'address'],
  policyId: ['policyid', 'policy'],
  tags: ['tags', 'keywords', 'labels'],
  metadata: ['metadata', 'meta'],
};

/** Guesses the mapping from the names of columns. */
export function guessMapping(columns: readonly string[]): Mapping {
  const plain = (text: string): string => text.toLowerCase().replaceAll(/[^a-z]/g, '');
  const taken = new Set<string>();
  const mapping: Mapping = {};
  for (const field of FIELDS) {
    const found = NAMES[field]
      .map((name) => columns.find((column) => plain(column) === name && !taken.has(column)))
      .find((column) => column !== undefined);
    if (found === undefined) continue;
    mapping[field] = found;
    taken.add(found);
  }
  return mapping;
}

export interface Plan {
  mapping: Mapping;
  defaults: Defaults;
  /** Columns without a field become metadata. */
  extra: boolean;
}

/** Converts a row to an item. */
export function toRow(source: Source, number: number, { mapping, defaults, extra }: Plan): Row {
  const read = (field: Field): unknown => (mapping[field] === undefined ? undefined : source[mapping[field]]);
  const item: Record<string, unknown> = {};
  for (const field of ['externalId', 'title', 'type', 'source', 'policyId'] as const) {
    const value = read(field);
    if (!isEmpty(value)) item[field] = typeof value === 'string' && field !== 'externalId' ? value.trim() : value;
  }
  item.type ??= defaults.type === '' ? undefined : defaults.type;
  item.policyId ??= defaults.policyId === '' ? undefined : defaults.policyId;
  item.tags = parseTags(read('tags'));
  const { metadata, problem } = readMetadata(source, read('metadata'), mapping, extra);
  if (metadata !== undefined) item.metadata = metadata;
  return {
    number,
    item: JSON.parse(JSON.stringify(item)) as Record<string, unknown>,
    problem: problem ?? findProblem(item),
  };
}

const isEmpty = (value: unknown): boolean => value === undefined || value === null || value === '';

function parseTags(tags: unknown): unknown {
  if (Array.isArray(tags)) return tags;
  if (typeof tags !== 'string' || tags.trim() === '') return undefined;
  return listIn(tags) ?? splitTags(tags);
}

/** An export writes tags that hold separators as JSON. */
function listIn(tags: string): string[] | undefined {
  if (!tags.startsWith('[')) return undefined;
  try {
    const value: unknown = JSON.parse(tags);
    return Array.isArray(value) && value.every((tag) => typeof tag === 'string') ? value : undefined;
  } catch {
    return undefined;
  }
}

function splitTags(tags: string): string[] {
  return tags
    .split(/[,;|]/)
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');
}

function readMetadata(
  source: Source,
  given: unknown,
  mapping: Mapping,
  extra: boolean,
): { metadata?: object; problem?: string } {
  let metadata: Record<string, unknown> | undefined;
  if (typeof given === 'string' && given.trim() !== '') {
    try {
      metadata = JSON.parse(given) as Record<string, unknown>;
    } catch {
      return { problem: 'The metadata is not JSON.' };
    }
  } else if (typeof given === 'object' && given !== null) metadata = given as Record<string, unknown>;
  if (!extra) return metadata === undefined ? {} : { metadata };
  const used = new Set(Object.values(mapping));
  const rest = Object.entries(source).filter(([name, value]) => !used.has(name) && !isEmpty(value));
  if (rest.length === 0 && metadata === undefined) return {};
  return { metadata: { ...metadata, ...Object.fromEntries(rest) } };
}

function findProblem(item: Record<string, unknown>): string | undefined {
  const missing = REQUIRED.find((field) => item[field] === undefined);
  if (missing !== undefined) return `\`${missing}\` is missing.`;
  if (!(CONTENT_TYPES as readonly unknown[]).includes(item.type))
    return `\`type\` is ${JSON.stringify(item.type)}; it is one of ${CONTENT_TYPES.join(', ')}.`;
  if (typeof item.source !== 'string' || !/^https?:\/\/./i.test(item.source) || !URL.canParse(item.source))
    return '`source` is not an http or https address.';
  if (String(item.externalId).length > 255) return '`externalId` is longer than 255 characters.';
  if (String(item.title).length > 500) return '`title` is longer than 500 characters.';
  return undefined;
}

/** The first row with an id counts: a later one would overwrite it in silence. */
export function withoutRepeats(rows: readonly Row[]): Row[] {
  const first = new Map<unknown, number>();
  return rows.map((row) => {
    const { externalId } = row.item;
    const before = externalId === undefined ? undefined : first.get(externalId);
    if (before !== undefined)
      return { ...row, problem: row.problem ?? `The external id is the same as in row ${before}.` };
    first.set(externalId, row.number);
    return row;
  });
}

/**
 * Rows of a file as items: which column is which field, and what is wrong with a row before it is sent. Pure; the service
 * has the last word.
 */
import { TYPES } from './types.ts';

export const FIELDS = ['externalId', 'title', 'type', 'source', 'policyId', 'tags', 'metadata'] as const;
export type Field = (typeof FIELDS)[number];
export const REQUIRED: readonly Field[] = ['externalId', 'title', 'type', 'source'];

export type Source = Record<string, unknown>;
/** The column of each field; absent: none. */
export type Mapping = Partial<Record<Field, string>>;
export interface Defaults {
  type: string;
  policyId: string;
}

export interface Row {
  /** Its line or record in the file, from 1. */
  number: number;
  item: Record<string, unknown>;
  /** Why it will be refused. */
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

/** The columns by their names, as far as they can be told. */
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

/** Columns that are no field become metadata when `extra` is set. */
export function toRow(source: Source, number: number, mapping: Mapping, defaults: Defaults, extra: boolean): Row {
  const read = (field: Field): unknown => (mapping[field] === undefined ? undefined : source[mapping[field]]);
  const item: Record<string, unknown> = {};
  for (const field of ['externalId', 'title', 'type', 'source', 'policyId'] as const) {
    const value = read(field);
    if (value !== undefined && value !== null && value !== '')
      item[field] = typeof value === 'string' ? value.trim() : value;
  }
  item.type ??= defaults.type === '' ? undefined : defaults.type;
  item.policyId ??= defaults.policyId === '' ? undefined : defaults.policyId;
  const tags = read('tags');
  if (Array.isArray(tags)) item.tags = tags;
  else if (typeof tags === 'string' && tags.trim() !== '')
    item.tags = tags
      .split(/[,;|]/)
      .map((tag) => tag.trim())
      .filter((tag) => tag !== '');
  const { metadata, problem } = metadataOf(source, read('metadata'), mapping, extra);
  if (metadata !== undefined) item.metadata = metadata;
  return {
    number,
    item: JSON.parse(JSON.stringify(item)) as Record<string, unknown>,
    problem: problem ?? problemOf(item),
  };
}

function metadataOf(
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
  const rest = Object.entries(source).filter(
    ([name, value]) => !used.has(name) && value !== '' && value !== null && value !== undefined,
  );
  if (rest.length === 0 && metadata === undefined) return {};
  return { metadata: { ...metadata, ...Object.fromEntries(rest) } };
}

function problemOf(item: Record<string, unknown>): string | undefined {
  const missing = REQUIRED.find((field) => item[field] === undefined);
  if (missing !== undefined) return `\`${missing}\` is missing.`;
  if (!(TYPES as readonly unknown[]).includes(item.type))
    return `\`type\` is ${JSON.stringify(item.type)}; it is one of ${TYPES.join(', ')}.`;
  if (typeof item.source !== 'string' || !/^https?:\/\/./i.test(item.source) || !URL.canParse(item.source))
    return '`source` is not an http or https address.';
  if (String(item.externalId).length > 255) return '`externalId` is longer than 255 characters.';
  if (String(item.title).length > 500) return '`title` is longer than 500 characters.';
  return undefined;
}

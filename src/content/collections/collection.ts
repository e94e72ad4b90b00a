/**
 * A collection: a policy for everything at some addresses, or of some kind. It is in force for items without a policy
 * of their own.
 */
import { type Static, Type } from 'typebox';
import { metadata } from '../../api/changes/metadata.ts';
import { firstValues, optional, schemas } from '../../lib/fields.ts';
import { orNull } from '../../lib/nullable.ts';
import { ContentTypeName } from '../../rules/conditions/names.ts';
import { CONTENT_TYPES } from '../../rules/content-types.ts';

/** `observe`: decisions are recorded and not enforced. */
export const MODES = ['enforce', 'observe'] as const;

const tag = Type.String({ minLength: 1, maxLength: 64 });
const host = Type.String({ maxLength: 260, format: 'host-pattern' });
const path = Type.String({ maxLength: 500, format: 'path-pattern' });

/** The selectors, in the order of answers. An empty list selects nothing and leaves nothing out. */
export const SELECTORS = {
  hosts: optional(Type.Array(host, { maxItems: 100, description: 'Such as `www.example.com` or `*.example.com`' }), []),
  paths: optional(
    Type.Array(path, { maxItems: 1000, description: 'Patterns as in RFC 9309: a prefix, `*`, `$` at the end' }),
    [],
  ),
  contentTypes: optional(Type.Array(ContentTypeName, { maxItems: CONTENT_TYPES.length }), []),
  contentTags: optional(Type.Array(tag, { maxItems: 1000 }), []),
};
export type Selector = keyof typeof SELECTORS;
export const SELECTOR_NAMES = Object.keys(SELECTORS) as Selector[];

/** A new field goes here and into the columns of `store`. */
const OPTIONAL = {
  description: optional(orNull(Type.String({ maxLength: 2000 })), null),
  ...SELECTORS,
  policyId: optional(orNull(Type.String({ minLength: 1, maxLength: 64 }), 'null: the default policy'), null),
  mode: optional(
    Type.Enum([...MODES], { description: '`observe`: decisions are recorded and counted, and not enforced' }),
    'enforce' as const,
  ),
  metadata: optional(metadata, {}),
};
export const FIRST_VALUES = firstValues(OPTIONAL);

/** The fields that publishers write, in the order of answers. */
export const FIELDS = {
  name: Type.String({ minLength: 1, maxLength: 200, format: 'plain-text' }),
  ...schemas(OPTIONAL),
};
const Fields = Type.Object(FIELDS);

export interface Collection extends Static<typeof Fields> {
  /** The collection's number in the store, never on the wire; 0 until it is stored. */
  no: number;
  id: string;
  /** Counts edits, from 1. */
  version: number;
  createdAt: number;
  updatedAt: number;
}

export const COLLECTION_PREFIX = 'col_';

export const givenSelectors = (collection: Pick<Collection, Selector>): Selector[] =>
  SELECTOR_NAMES.filter((name) => collection[name].length > 0);

/** The addresses that the index holds for a collection: every path on every host. */
export const addressCount = ({ hosts, paths }: Pick<Collection, 'hosts' | 'paths'>): number =>
  Math.max(1, hosts.length) * Math.max(1, paths.length);

/** Content: an item that a publisher owns. */
import { type Static, Type } from 'typebox';
import { editedMetadata, metadata } from '../api/changes/metadata.ts';
import { firstValues, optional, schemas } from '../lib/fields.ts';
import { refined } from '../lib/refined.ts';
import { ContentTypeName } from '../rules/conditions/names.ts';
import type { ContentFacts, Place } from '../rules/facts.ts';

export const STATUSES = ['active', 'archived'] as const;
export type Status = (typeof STATUSES)[number];

export const tag = Type.String({ minLength: 1, maxLength: 64 });
/** Also of one that no item can have, such as an id. */
export const externalIdText = Type.String({ minLength: 1, maxLength: 255, format: 'plain-text' });

/** A new field goes here and into the columns of `store`. */
const OPTIONAL = {
  metadata: optional(metadata, {}),
  tags: optional(Type.Array(tag, { maxItems: 50 }), []),
};
export const OPTIONAL_FIELDS = schemas(OPTIONAL);
export const FIRST_VALUES = firstValues(OPTIONAL);

/** The fields that publishers write, in the order of answers. */
export const FIELDS = {
  externalId: refined(externalIdText, (ref, param) =>
    isContentId(ref)
      ? [{ param, message: `\`${param}\` must not look like a content id (cnt_ and 26 characters).` }]
      : [],
  ),
  title: Type.String({ minLength: 1, maxLength: 500 }),
  type: ContentTypeName,
  source: Type.String({ maxLength: 2048, format: 'http-url' }),
  policyId: Type.String({ minLength: 1, maxLength: 64 }),
  ...OPTIONAL_FIELDS,
  status: Type.Enum([...STATUSES]),
};
const Fields = Type.Object(FIELDS);
type Fields = Static<typeof Fields>;

export interface Content extends Fields {
  /** The item's number in the store, never on the wire; 0 until it is stored. */
  no: number;
  id: string;
  /** 1: `policyId` was given to the item; 0: it is the policy that was the default when the item was registered. */
  ownsPolicy: 0 | 1;
  /** Counts edits, from 1. */
  revision: number;
  createdAt: number;
  updatedAt: number;
}

export const CONTENT_PREFIX = 'cnt_';
const CONTENT_ID = /^cnt_[0-9a-hjkmnp-tv-z]{26}$/;

/** Separates ids from externalIds, which may never look like an id. */
export const isContentId = (ref: string): boolean => CONTENT_ID.test(ref);

/** Returns the item, with the policy that is in force for it, as conditions see it. */
export const toContentFacts = (content: Content, place: Place): ContentFacts => ({
  no: content.no,
  id: content.id,
  externalId: content.externalId,
  type: content.type,
  tags: content.tags,
  metadata: content.metadata,
  source: content.source,
  ...place,
  archived: content.status === 'archived',
  ownsPolicy: content.ownsPolicy === 1,
});

/** Absent fields stay as they are. */
export type ContentEdit = Partial<Omit<Fields, 'policyId'>> & { policyId?: string | null; metadataReplace?: boolean };

/** A policy as an item stores it. */
export type StoredPolicy = Pick<Content, 'policyId' | 'ownsPolicy'>;

/** Applies an edit whose policy the caller has resolved. */
export function edited(content: Content, edit: ContentEdit, policy: StoredPolicy, at: number): Content {
  const { metadataReplace, ...fields } = edit;
  return {
    ...content,
    ...fields,
    ...policy,
    metadata: editedMetadata(content.metadata, edit),
    tags: [...new Set(edit.tags ?? content.tags)],
    revision: content.revision + 1,
    updatedAt: at,
  };
}

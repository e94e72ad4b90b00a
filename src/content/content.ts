/** An item a publisher owns. */
import { editedMetadata } from '../http/metadata.ts';
import type { ContentFacts } from '../policies/facts.ts';

export const CONTENT_TYPES = ['article', 'report', 'image', 'dataset', 'video'] as const;
export type ContentType = (typeof CONTENT_TYPES)[number];

export const STATUSES = ['active', 'archived'] as const;
export type Status = (typeof STATUSES)[number];

export interface Content {
  /** The item's number in the store; never on the wire. 0 before it is stored. */
  no: number;
  id: string;
  externalId: string;
  title: string;
  type: ContentType;
  source: string;
  policyId: string;
  metadata: Record<string, unknown>;
  tags: string[];
  status: Status;
  /** Counts edits, from 1. */
  revision: number;
  createdAt: number;
  updatedAt: number;
}

export const CONTENT_PREFIX = 'cnt_';
const CONTENT_ID = /^cnt_[0-9a-hjkmnp-tv-z]{26}$/;

/** Whether a reference is one of our ids; an externalId may never look like that. */
export const isContentId = (ref: string): boolean => CONTENT_ID.test(ref);

/** `"<id>-<revision>"`: an item deleted and registered again is another one. */
export const contentEtag = (content: Content): string =>
  `"${content.id.slice(CONTENT_PREFIX.length)}-${content.revision}"`;

/** The item as conditions see it, with its metadata. */
export const toContentFacts = (content: Content): ContentFacts => ({
  no: content.no,
  id: content.id,
  externalId: content.externalId,
  type: content.type,
  tags: content.tags,
  metadata: content.metadata,
  policyId: content.policyId,
  archived: content.status === 'archived',
});

/** The fields an edit may carry; absent ones stay. `metadata` is merged, null removes a key, unless it replaces. */
export interface ContentEdit {
  title?: string;
  type?: ContentType;
  source?: string;
  policyId?: string | null;
  metadata?: Record<string, unknown>;
  metadataReplace?: boolean;
  tags?: string[];
  status?: Status;
}

/** The item after an edit. `policyId` is resolved before; the result's revision and time are the edit's. */
export function edited(content: Content, edit: ContentEdit, policyId: string, at: number): Content {
  return {
    ...content,
    title: edit.title ?? content.title,
    type: edit.type ?? content.type,
    source: edit.source ?? content.source,
    policyId,
    metadata: editedMetadata(content.metadata, edit),
    tags: edit.tags === undefined ? content.tags : [...new Set(edit.tags)],
    status: edit.status ?? content.status,
    revision: content.revision + 1,
    updatedAt: at,
  };
}

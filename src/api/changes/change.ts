/** Edits as values: what a request wants to write, to announce and to answer. */
import type { Step } from '../../db/db.ts';
import type { Idempotency } from '../../db/receipt.ts';
import type { ChangeKind } from './kinds.ts';

export interface Change {
  kind: ChangeKind;
  /** Id of the record. */
  id: string;
  /** Number of an item in the store, where its row is gone once the edit's steps have run. */
  no?: number;
  /** Requester of a license or a token. */
  ownerId?: string;
  /** The record as the API shows it: after the change, or in its last state when deleted. Never holds a secret. */
  object: object;
  /** The record before an edit. */
  before?: object;
  /** The 26 characters of its ids, where a step needs to name its event. */
  body?: string;
}

/**
 * The change as subscribers receive it. `object` is that of a webhook or a requester; of an item it may have only
 * `source` and `externalId`; of those and of other records it may be missing.
 */
export type ChangeNotice = Pick<Change, 'kind' | 'id' | 'ownerId' | 'object'>;

/** The plan of one request. Without steps and changes it only answers. */
export interface Edit {
  steps: readonly Step[];
  changes: readonly Change[];
  status: number;
  body: unknown;
  /** The body holds a secret: its receipt is sealed. */
  secret?: boolean;
  etag?: string;
}

/** The author of an edit: key, request and address, as the log keeps them. A request is an author. */
export interface Author {
  caller: { keyId: string | null };
  id: string | null;
  idempotency: Idempotency | null;
  source(): string | null;
}

/** Author of edits that the service makes by itself, such as an expiry. */
export const SYSTEM: Author = { caller: { keyId: null }, id: null, idempotency: null, source: () => null };

/** The items that a partner may have now, when it proves itself by a token. */
import { type Static, Type } from 'typebox';
import { listSchema, pageProperties } from '../../api/http/list.ts';
import type { Db } from '../../db/db.ts';
import { idForm, PAGE_DEFAULT } from '../../db/page.ts';
import { findReached, type ReachedItem } from '../../decisions/reach/items.ts';
import type { Snapshot } from '../../decisions/snapshot/snapshot.ts';
import { toIso } from '../../lib/clock.ts';
import { textOrNull } from '../../lib/nullable.ts';
import { ContentTypeName, PermissionName } from '../../rules/conditions/names.ts';
import type { Cursors } from './cursor.ts';

export const OwnContentQuery = Type.Object(
  {
    ...pageProperties,
    purpose: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
    permission: Type.Optional(PermissionName),
  },
  { additionalProperties: false },
);
export type OwnContentQuery = Static<typeof OwnContentQuery>;

const OwnContent = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal('content'),
    externalId: Type.String(),
    title: Type.String(),
    type: ContentTypeName,
    source: Type.String(),
    permissions: Type.Array(Type.String(), { description: 'What it may be used for' }),
    licenseId: textOrNull('The license that allows it'),
    created: Type.String(),
    updated: Type.String(),
  },
  { title: 'PartnerContent', description: 'An item that the partner may have now' },
);

export const OwnContentPage = Type.Object(
  {
    ...listSchema(OwnContent).properties,
    data: Type.Array(OwnContent, { description: 'May be fewer than `limit` while there are more' }),
    totalCount: Type.Null({ description: 'Not counted' }),
  },
  { title: 'PartnerContentList' },
);

export interface OwnContentDeps {
  db: Db;
  snapshot: Pick<Snapshot, 'inForce' | 'findPolicy' | 'findRequester'>;
  cursors: Cursors;
  now(): number;
}

const FORM = idForm('cnt_');

/** Throws InvalidCursor. */
export async function listOwnContent(
  { db, snapshot, cursors, now }: OwnContentDeps,
  requesterId: string,
  { limit = PAGE_DEFAULT, cursor, ...wanted }: OwnContentQuery,
): Promise<Static<typeof OwnContentPage>> {
  const before = cursor === undefined ? undefined : await cursors.open(requesterId, cursor, FORM);
  const requester = await snapshot.findRequester(requesterId);
  const inputs = { ...wanted, context: { verified: 'token' as const } };
  const asker = { id: requesterId, requester, inputs, at: now() };
  const { found, next } = await findReached({ db, snapshot }, { asker, before, limit });
  const nextCursor = next === null ? null : await cursors.seal(requesterId, next);
  return { object: 'list', data: found.map(toShown), hasMore: next !== null, totalCount: null, nextCursor };
}

const toShown = ({ item, evaluation: { facts, verdict } }: ReachedItem) => ({
  id: item.id,
  object: 'content' as const,
  externalId: item.externalId,
  title: item.title,
  type: item.type,
  source: item.source,
  permissions: [...verdict.permissions],
  licenseId: verdict.rule?.licenseOf?.(facts)?.id ?? null,
  created: toIso(item.createdAt),
  updated: toIso(item.updatedAt),
});

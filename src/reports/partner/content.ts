/**
 * The items that a partner may have now. Each page decides a bounded number of items, so it may hold fewer than asked
 * for. Limits and quotas are left out: they change with every request.
 */
import { type Static, Type } from 'typebox';
import { listSchema, pageProperties } from '../../api/http/list.ts';
import { type Content, toContentFacts } from '../../content/content.ts';
import { toPlace } from '../../content/placement.ts';
import { findActiveBefore } from '../../content/store.ts';
import type { Db } from '../../db/db.ts';
import { idForm, PAGE_DEFAULT } from '../../db/page.ts';
import { evaluate, toDraft } from '../../decisions/check/draft.ts';
import type { Snapshot } from '../../decisions/snapshot/snapshot.ts';
import { toIso } from '../../lib/clock.ts';
import { Slices } from '../../lib/slices.ts';
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
    licenseId: Type.Union([Type.String(), Type.Null()], { description: 'The license that allows it' }),
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

/** Items decided for a page. */
const DECIDED_MAX = 2_000;
const READ_AT_ONCE = 200;
const FORM = idForm('cnt_');

/** Throws InvalidCursor. */
export async function listOwnContent(
  deps: OwnContentDeps,
  requesterId: string,
  { limit = PAGE_DEFAULT, cursor, ...wanted }: OwnContentQuery,
): Promise<Static<typeof OwnContentPage>> {
  const { db, cursors } = deps;
  let before = cursor === undefined ? undefined : await cursors.open(requesterId, cursor, FORM);
  const decide = await openDecider(deps, requesterId, wanted);
  const data: Static<typeof OwnContent>[] = [];
  const slices = new Slices();
  for (let decided = 0; decided < DECIDED_MAX && data.length < limit; ) {
    const items = await findActiveBefore(db, before, READ_AT_ONCE);
    for (const item of items) {
      before = item.id;
      decided += 1;
      const shown = await decide(item);
      if (shown !== undefined) data.push(shown);
      if (data.length === limit) break;
      await slices.next();
    }
    const isLast = items.length < READ_AT_ONCE && before === (items.at(-1)?.id ?? before);
    if (isLast) return { object: 'list', data, hasMore: false, totalCount: null, nextCursor: null };
  }
  const nextCursor = await cursors.seal(requesterId, before as string);
  return { object: 'list', data, hasMore: true, totalCount: null, nextCursor };
}

type Decide = (item: Content) => Promise<Static<typeof OwnContent> | undefined>;

/** Returns a function that returns an item as it is shown if the partner may have it. */
async function openDecider(
  { snapshot, now }: OwnContentDeps,
  requesterId: string,
  wanted: Pick<OwnContentQuery, 'purpose' | 'permission'>,
): Promise<Decide> {
  const [inForce, requester] = await Promise.all([snapshot.inForce(), snapshot.findRequester(requesterId)]);
  const ask = { ...wanted, requesterId, context: { verified: 'token' as const } };
  const at = now();
  return async (item) => {
    const place = toPlace(item, inForce);
    const policy = await snapshot.findPolicy(place.policyId);
    if (policy === undefined) return undefined;
    const evaluation = evaluate({ content: toContentFacts(item, place), policy, requester }, ask, at);
    const { decision } = toDraft(evaluation, null, false);
    return decision.allowed ? toShown(item, decision) : undefined;
  };
}

const toShown = (
  item: Content,
  { permissions, licenseId }: { permissions: readonly string[]; licenseId: string | null },
) => ({
  id: item.id,
  object: 'content' as const,
  externalId: item.externalId,
  title: item.title,
  type: item.type,
  source: item.source,
  permissions: [...permissions],
  licenseId,
  created: toIso(item.createdAt),
  updated: toIso(item.updatedAt),
});

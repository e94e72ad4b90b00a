/** Register, read, edit, list and delete content, one by one and in bulk. */

import type { Changes } from '../api/changes/changes.ts';
import { type Resource, resource } from '../api/changes/resource.ts';
import type { App } from '../api/http/app.ts';
import { isUnchanged, NotModified } from '../api/http/etag.ts';
import { toList } from '../api/http/list.ts';
import { requireAlso } from '../api/http/needs.ts';
import { edit, route } from '../api/http/route.ts';
import type { Caller } from '../api/permissions.ts';
import type { Db } from '../db/db.ts';
import type { Clock } from '../lib/clock.ts';
import { parseIso } from '../lib/clock.ts';
import { findPolicies, findPolicy } from '../policies/store.ts';
import type { Policy } from '../rules/policy.ts';
import { planBulkDelete, planBulkUpsert } from './bulk.ts';
import type { KnownCollections } from './collections/known.ts';
import {
  contentNotFound,
  findPlaced,
  type ItemToEdit,
  planCreate,
  planDelete,
  planUpdate,
  planUpsert,
} from './edits.ts';
import { openLists } from './lists.ts';
import { findContentWarnings, withWarnings } from './same-file.ts';
import {
  BulkDeleteAnswer,
  BulkDeleteContent,
  BulkUpsertAnswer,
  BulkUpsertContent,
  ContentAnswer,
  ContentDeleted,
  ContentPage,
  CreateContent,
  contentAnswer,
  contentEtag,
  ExpandQuery,
  ListContentQuery,
  UpdateContent,
} from './schema.ts';

export interface ContentDeps {
  db: Db;
  changes: Changes;
  clock: Clock;
  collections: KnownCollections;
  /** Counts the decisions about an item, exactly. */
  stats(contentNo: number): Promise<{ total: number; allowed: number }>;
}

const reading = { tag: 'Content', permission: 'content:read' } as const;
const writing = { tag: 'Content', permission: 'content:write' } as const;

export function contentRoutes(app: App, deps: ContentDeps): void {
  const content = resource({
    changes: deps.changes,
    find: (ref) => findPlaced(deps, ref),
    notFound: contentNotFound,
    etag: (found) => contentEtag(found.content, found.inForce),
  });
  readingRoutes(app, deps, content);
  editingRoutes(app, deps, content);
  bulkRoutes(app, deps);
}

function readingRoutes(
  app: App,
  { db, changes, collections, stats }: ContentDeps,
  content: Resource<ItemToEdit>,
): void {
  const listItems = openLists(db, changes, collections);
  const list = { ...reading, id: 'listContent', is: 'List items', query: ListContentQuery, answer: ContentPage };
  route(app, 'GET /v1/content', list, async ({ query, caller }) => {
    requireRules(caller, query);
    const created = { createdAfter: toTime(query.createdAfter), createdBefore: toTime(query.createdBefore) };
    const { page, inForce } = await listItems({ ...query, ...created });
    const warnings = await findContentWarnings(db, page.data, inForce);
    const data = page.data.map((item, i) => withWarnings(contentAnswer(item, inForce), warnings[i]));
    const policies = await findPolicies(db, query.expand === undefined ? [] : data.map(({ policyId }) => policyId));
    return toList({ ...page, data }, (answer) => expanded(answer, policies.get(answer.policyId)));
  });

  const read = {
    ...reading,
    id: 'getContent',
    is: 'Read an item',
    query: ExpandQuery,
    answers: { 200: ContentAnswer, 304: NotModified },
  };
  route(app, 'GET /v1/content/:id', read, async (request, reply) => {
    const { params, query, caller } = request;
    requireRules(caller, query);
    const { content: item, inForce } = await content.get(params.id);
    const [warnings] = await findContentWarnings(db, [item], inForce);
    const answer = withWarnings(contentAnswer(item, inForce), warnings);
    const policy = query.expand === undefined ? undefined : await findPolicy(db, answer.policyId);
    const etag = contentEtag(item, inForce);
    // An edit of the policy changes this answer and not the item's tag, which `If-Match` still takes.
    if (policy === undefined && isUnchanged(request, reply, etag)) return reply.send();
    if (policy !== undefined) reply.header('etag', etag);
    const { total, allowed } = await stats(item.no);
    return {
      ...expanded(answer, policy),
      stats: { totalRequests: total, allowedRequests: allowed, deniedRequests: total - allowed },
    };
  });
}

function editingRoutes(app: App, deps: ContentDeps, content: Resource<ItemToEdit>): void {
  const { changes } = deps;
  const create = {
    ...writing,
    id: 'createContent',
    is: 'Register an item',
    body: CreateContent,
    answers: { 201: ContentAnswer },
  };
  edit(app, 'POST /v1/content', create, (request) =>
    changes.commit(request, request.body.externalId, () => planCreate(deps, request.body)),
  );

  const upsert = {
    ...writing,
    id: 'upsertContent',
    is: 'Register an item or edit it',
    body: CreateContent,
    answers: { 200: ContentAnswer, 201: ContentAnswer },
  };
  edit(app, 'POST /v1/content/upsert', upsert, (request) =>
    changes.commit(request, request.body.externalId, () => planUpsert(deps, request.body)),
  );

  const update = {
    ...writing,
    id: 'updateContent',
    is: 'Edit an item',
    ifMatch: true,
    body: UpdateContent,
    answer: ContentAnswer,
  } as const;
  edit(app, 'PATCH /v1/content/:id', update, (request) =>
    content.edit(request, (found) => planUpdate(deps, found, request.body)),
  );

  const remove = {
    ...writing,
    id: 'deleteContent',
    is: 'Delete an item and its decisions',
    ifMatch: true,
    answer: ContentDeleted,
  } as const;
  edit(app, 'DELETE /v1/content/:id', remove, (request) => content.edit(request, planDelete));
}

function bulkRoutes(app: App, deps: ContentDeps): void {
  const bulk = { ...writing, bulk: true } as const;
  const upsert = {
    ...bulk,
    id: 'bulkUpsertContent',
    is: 'Register or edit up to 1,000 items',
    body: BulkUpsertContent,
    answer: BulkUpsertAnswer,
  };
  edit(app, 'POST /v1/content/bulk-upsert', upsert, (request) =>
    deps.changes.commit(request, 'bulk', () => planBulkUpsert(deps, request.body.items)),
  );

  const remove = {
    ...bulk,
    id: 'bulkDeleteContent',
    is: 'Delete up to 1,000 items',
    body: BulkDeleteContent,
    answer: BulkDeleteAnswer,
  };
  edit(app, 'POST /v1/content/bulk-delete', remove, (request) =>
    deps.changes.commit(request, 'bulk', () => planBulkDelete(deps, request.body.ids)),
  );
}

/** Throws insufficient_permissions. */
function requireRules(caller: Caller, { expand }: { expand?: string }): void {
  if (expand !== undefined) requireAlso(caller, 'policies:read', '`expand=policy`');
}

const toTime = (text: string | undefined): number | undefined => (text === undefined ? undefined : parseIso(text));

const expanded = (answer: ReturnType<typeof contentAnswer>, policy: Policy | undefined) => ({
  ...answer,
  ...(policy === undefined ? {} : { policy: { id: policy.id, name: policy.name, rules: policy.rules } }),
});

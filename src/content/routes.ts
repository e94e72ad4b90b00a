/** Register, read, edit, list and delete content, one by one and in bulk. */
import type { Changes } from '../changes/changes.ts';
import type { Db } from '../db/db.ts';
import { isUnchanged, NotModified, requireMatch } from '../http/etag.ts';
import { parseMoment } from '../http/formats.ts';
import { sendCommitted } from '../http/reply.ts';
import { type App, BULK_BODY_BYTES_MAX } from '../http/server.ts';
import type { Clock } from '../lib/clock.ts';
import { findPolicies, findPolicy } from '../policies/store.ts';
import { planBulkDelete, planBulkUpsert } from './bulk.ts';
import { type Content, contentEtag } from './content.ts';
import { contentNotFound, planCreate, planDelete, planUpdate, planUpsert } from './edits.ts';
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
  ExpandQuery,
  ListContentQuery,
  UpdateContent,
} from './schema.ts';
import { findContent, listContent } from './store.ts';

export interface ContentDeps {
  db: Db;
  changes: Changes;
  clock: Clock;
  /** Decisions about an item, exact. */
  stats(contentNo: number): Promise<{ total: number; allowed: number }>;
}

const read = { permission: 'content:read' } as const;
const write = { permission: 'content:write' } as const;
const editing = { ...write, takesIfMatch: true } as const;
const tags = ['Content'];

export function contentRoutes(app: App, deps: ContentDeps): void {
  const { db, changes } = deps;
  const get = async (ref: string): Promise<Content> => {
    const content = await findContent(db, ref);
    if (content === undefined) throw contentNotFound(ref);
    return content;
  };

  app.post(
    '/v1/content',
    {
      config: write,
      schema: {
        tags,
        operationId: 'createContent',
        summary: 'Register an item',
        body: CreateContent,
        response: { 201: ContentAnswer },
      },
    },
    async (request, reply) =>
      sendCommitted(
        reply,
        await changes.commit(request, request.body.externalId, () => planCreate(deps, request.body)),
      ),
  );

  app.get(
    '/v1/content',
    {
      config: read,
      schema: {
        tags,
        operationId: 'listContent',
        summary: 'List items',
        querystring: ListContentQuery,
        response: { 200: ContentPage },
      },
    },
    async ({ query }) => {
      const { limit, cursor, expand, createdAfter, createdBefore, ...filter } = query;
      const page = await listContent(
        db,
        {
          ...filter,
          ...(createdAfter === undefined ? {} : { createdAfter: parseMoment(createdAfter) ?? 0 }),
          ...(createdBefore === undefined ? {} : { createdBefore: parseMoment(createdBefore) ?? 0 }),
        },
        { ...(limit === undefined ? {} : { limit }), ...(cursor === undefined ? {} : { cursor }) },
      );
      const ids = expand === undefined ? [] : page.data.map((content) => content.policyId);
      const policies = await findPolicies(db, ids);
      return { ...page, data: page.data.map((content) => expanded(content, policies.get(content.policyId))) };
    },
  );

  app.get<{ Params: { id: string }; Querystring: { expand?: 'policy' } }>(
    '/v1/content/:id',
    {
      config: read,
      schema: {
        tags,
        operationId: 'getContent',
        summary: 'Read an item',
        querystring: ExpandQuery,
        response: { 200: ContentAnswer, 304: NotModified },
      },
    },
    async (request, reply) => {
      const content = await get(request.params.id);
      const policy = request.query.expand === undefined ? undefined : await findPolicy(db, content.policyId);
      const etag = contentEtag(content);
      // With the policy in it, the answer is another one when the policy is; If-Match still takes the item's own tag.
      if (policy === undefined && isUnchanged(request, reply, etag)) return reply.send();
      if (policy !== undefined) reply.header('etag', etag);
      const { total, allowed } = await deps.stats(content.no);
      return {
        ...expanded(content, policy),
        stats: { totalRequests: total, allowedRequests: allowed, deniedRequests: total - allowed },
      };
    },
  );

  app.patch<{ Params: { id: string }; Body: UpdateContent }>(
    '/v1/content/:id',
    {
      config: editing,
      schema: {
        tags,
        operationId: 'updateContent',
        summary: 'Edit an item',
        body: UpdateContent,
        response: { 200: ContentAnswer },
      },
    },
    async (request, reply) => {
      const committed = await changes.commit(request, request.params.id, async () => {
        const content = await get(request.params.id);
        requireMatch(request, contentEtag(content));
        return planUpdate(deps, content, request.body);
      });
      return sendCommitted(reply, committed);
    },
  );

  app.delete<{ Params: { id: string } }>(
    '/v1/content/:id',
    {
      config: editing,
      schema: {
        tags,
        operationId: 'deleteContent',
        summary: 'Delete an item and its decisions',
        response: { 200: ContentDeleted },
      },
    },
    async (request, reply) => {
      const committed = await changes.commit(request, request.params.id, async () => {
        const content = await get(request.params.id);
        requireMatch(request, contentEtag(content));
        return planDelete(content);
      });
      return sendCommitted(reply, committed);
    },
  );

  app.post(
    '/v1/content/upsert',
    {
      config: write,
      schema: {
        tags,
        operationId: 'upsertContent',
        summary: 'Register an item or edit it',
        body: CreateContent,
        response: { 200: ContentAnswer, 201: ContentAnswer },
      },
    },
    async (request, reply) =>
      sendCommitted(
        reply,
        await changes.commit(request, request.body.externalId, () => planUpsert(deps, request.body)),
      ),
  );

  app.post(
    '/v1/content/bulk-upsert',
    {
      config: write,
      bodyLimit: BULK_BODY_BYTES_MAX,
      schema: {
        tags,
        operationId: 'bulkUpsertContent',
        summary: 'Register or edit up to 1,000 items',
        body: BulkUpsertContent,
        response: { 200: BulkUpsertAnswer },
      },
    },
    async (request, reply) =>
      sendCommitted(reply, await changes.commit(request, 'bulk', () => planBulkUpsert(deps, request.body.items))),
  );

  app.post(
    '/v1/content/bulk-delete',
    {
      config: write,
      bodyLimit: BULK_BODY_BYTES_MAX,
      schema: {
        tags,
        operationId: 'bulkDeleteContent',
        summary: 'Delete up to 1,000 items',
        body: BulkDeleteContent,
        response: { 200: BulkDeleteAnswer },
      },
    },
    async (request, reply) =>
      sendCommitted(reply, await changes.commit(request, 'bulk', () => planBulkDelete(db, request.body.ids))),
  );
}

const expanded = (content: Content, policy: { id: string; name: string; rules: unknown[] } | undefined) => ({
  ...contentAnswer(content),
  ...(policy === undefined ? {} : { policy: { id: policy.id, name: policy.name, rules: policy.rules } }),
});

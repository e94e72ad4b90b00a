/** Create, list, read, edit, delete and roll back policies, and read their versions. */
import type { Changes, Committed, Edit } from '../changes/changes.ts';
import type { Db } from '../db/db.ts';
import { fail } from '../errors.ts';
import { isUnchanged, NotModified, requireMatch } from '../http/etag.ts';
import { PageQuerySchema } from '../http/list.ts';
import { sendCommitted } from '../http/reply.ts';
import type { App } from '../http/server.ts';
import type { Clock } from '../lib/clock.ts';
import { diff } from './diff.ts';
import { getVersion, newPolicy, planCreate, planDelete, planMakeDefault, planRollback, planUpdate } from './edits.ts';
import { lint } from './lint.ts';
import type { Policy } from './policy.ts';
import {
  CreatePolicy,
  DiffAnswer,
  LintAnswer,
  LintPolicy,
  PolicyAnswer,
  PolicyDeleted,
  PolicyPage,
  PolicyWithWarnings,
  policyAnswer,
  policyEtag,
  Rollback,
  TemplatePage,
  UpdatePolicy,
  VersionAnswer,
  VersionPage,
  versionAnswer,
} from './schema.ts';
import { findPolicy, listPolicies, listVersions } from './store.ts';
import { listTemplates } from './templates.ts';

export interface PolicyDeps {
  db: Db;
  changes: Changes;
  clock: Clock;
}

interface OfPolicy {
  Params: { id: string };
}

const read = { permission: 'policies:read' } as const;
const write = { permission: 'policies:write' } as const;
const editing = { ...write, takesIfMatch: true } as const;
const tags = ['Policies'];

export function policyRoutes(app: App, { db, changes, clock }: PolicyDeps): void {
  const get = async (id: string): Promise<Policy> => {
    const policy = await findPolicy(db, id);
    if (policy === undefined) throw fail('policy_not_found', `There is no policy ${id.slice(0, 100)}.`);
    return policy;
  };

  /** An edit of the policy as it is when its turn comes, if that is still what `If-Match` says. */
  const edit = (
    request: Parameters<typeof requireMatch>[0] & { params: { id: string } },
    plan: (before: Policy) => Edit | Promise<Edit>,
  ): Promise<Committed> =>
    changes.commit(request, request.params.id, async () => {
      const before = await get(request.params.id);
      requireMatch(request, policyEtag(before));
      return plan(before);
    });

  app.post(
    '/v1/policies',
    {
      config: write,
      schema: {
        tags,
        operationId: 'createPolicy',
        summary: 'Create a policy',
        body: CreatePolicy,
        response: { 201: PolicyWithWarnings },
      },
    },
    async (request, reply) => {
      const policy = newPolicy(request.body, clock.now());
      return sendCommitted(reply, await changes.commit(request, policy.id, async () => planCreate(policy)));
    },
  );

  app.get(
    '/v1/policies',
    {
      config: read,
      schema: {
        tags,
        operationId: 'listPolicies',
        summary: 'List policies',
        querystring: PageQuerySchema,
        response: { 200: PolicyPage },
      },
    },
    async (request) => {
      const page = await listPolicies(db, request.query);
      return { ...page, data: page.data.map(policyAnswer) };
    },
  );

  app.get(
    '/v1/policies/templates',
    {
      config: read,
      schema: {
        tags,
        operationId: 'listPolicyTemplates',
        summary: 'List templates',
        querystring: PageQuerySchema,
        response: { 200: TemplatePage },
      },
    },
    async (request) => listTemplates(request.query),
  );

  app.get<OfPolicy>(
    '/v1/policies/:id',
    {
      config: read,
      schema: {
        tags,
        operationId: 'getPolicy',
        summary: 'Read a policy',
        response: { 200: PolicyAnswer, 304: NotModified },
      },
    },
    async (request, reply) => {
      const policy = await get(request.params.id);
      if (isUnchanged(request, reply, policyEtag(policy))) return reply.send();
      return policyAnswer(policy);
    },
  );

  app.patch<OfPolicy & { Body: UpdatePolicy }>(
    '/v1/policies/:id',
    {
      config: editing,
      schema: {
        tags,
        operationId: 'updatePolicy',
        summary: 'Edit a policy',
        body: UpdatePolicy,
        response: { 200: PolicyWithWarnings },
      },
    },
    async (request, reply) =>
      sendCommitted(reply, await edit(request, (before) => planUpdate(before, request.body, clock.now()))),
  );

  app.delete<OfPolicy>(
    '/v1/policies/:id',
    {
      config: editing,
      schema: { tags, operationId: 'deletePolicy', summary: 'Delete a policy', response: { 200: PolicyDeleted } },
    },
    async (request, reply) => sendCommitted(reply, await edit(request, (before) => planDelete(db, before))),
  );

  app.post<OfPolicy & { Body: Rollback }>(
    '/v1/policies/:id/rollback',
    {
      config: editing,
      schema: {
        tags,
        operationId: 'rollbackPolicy',
        summary: 'Write an old version as a new one',
        body: Rollback,
        response: { 200: PolicyWithWarnings },
      },
    },
    async (request, reply) =>
      sendCommitted(
        reply,
        await edit(request, (before) => planRollback(db, before, request.body.version, clock.now())),
      ),
  );

  app.post<OfPolicy>(
    '/v1/policies/:id/make-default',
    {
      config: editing,
      schema: {
        tags,
        operationId: 'makePolicyDefault',
        summary: 'Serve new content by this policy',
        response: { 200: PolicyAnswer },
      },
    },
    async (request, reply) => sendCommitted(reply, await edit(request, planMakeDefault)),
  );

  app.get<OfPolicy & { Querystring: PageQuerySchema }>(
    '/v1/policies/:id/versions',
    {
      config: read,
      schema: {
        tags,
        operationId: 'listPolicyVersions',
        summary: 'List versions',
        querystring: PageQuerySchema,
        response: { 200: VersionPage },
      },
    },
    async (request) => {
      const page = await listVersions(db, await get(request.params.id), request.query);
      return { ...page, data: page.data.map(versionAnswer) };
    },
  );

  app.post(
    '/v1/policies/lint',
    {
      config: read,
      schema: {
        tags,
        operationId: 'lintPolicy',
        summary: 'Find what is hardly meant',
        body: LintPolicy,
        response: { 200: LintAnswer },
      },
    },
    async ({ body: { rules, defaultAction = 'deny' } }) => ({
      object: 'policy_lint' as const,
      warnings: lint(rules, defaultAction),
    }),
  );

  app.get<{ Params: { id: string; version: string; other: string } }>(
    '/v1/policies/:id/versions/:version/diff/:other',
    {
      config: read,
      schema: {
        tags,
        operationId: 'diffPolicyVersions',
        summary: 'Compare two versions',
        response: { 200: DiffAnswer },
      },
    },
    async ({ params }) => {
      const policy = await get(params.id);
      const from = await getVersion(db, policy, versionOf(params.version));
      const to = await getVersion(db, policy, versionOf(params.other));
      return {
        object: 'policy_diff' as const,
        policyId: policy.id,
        from: from.version,
        to: to.version,
        ...diff(from, to),
      };
    },
  );

  app.get<{ Params: { id: string; version: string } }>(
    '/v1/policies/:id/versions/:version',
    {
      config: read,
      schema: { tags, operationId: 'getPolicyVersion', summary: 'Read a version', response: { 200: VersionAnswer } },
    },
    async (request) => {
      const policy = await get(request.params.id);
      return versionAnswer(await getVersion(db, policy, versionOf(request.params.version)));
    },
  );
}

/** A version in a path. Throws policy_version_not_found for what cannot be one. */
function versionOf(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw fail('policy_version_not_found', `A version is a whole number from 1, not ${text.slice(0, 40)}.`);
}

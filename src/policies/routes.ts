/** Create, list, read, edit and delete policies. Every edit is a new version. */
import type { Changes } from '../changes/changes.ts';
import type { Db } from '../db/db.ts';
import { fail } from '../errors.ts';
import { isUnchanged, requireMatch } from '../http/etag.ts';
import { PageQuerySchema } from '../http/list.ts';
import { sendCommitted } from '../http/reply.ts';
import type { App } from '../http/server.ts';
import type { Clock } from '../lib/clock.ts';
import { newId } from '../lib/id.ts';
import { DEFAULT_POLICY_ID, POLICY_PREFIX, type Policy } from './policy.ts';
import {
  CreatePolicy,
  PolicyAnswer,
  PolicyDeleted,
  PolicyPage,
  policyAnswer,
  policyEtag,
  UpdatePolicy,
} from './schema.ts';
import { deletePolicy, findPolicy, insertPolicy, listPolicies, policyInUse, updatePolicy } from './store.ts';

export interface PolicyDeps {
  db: Db;
  changes: Changes;
  clock: Clock;
}

const read = { permission: 'policies:read' } as const;
const write = { permission: 'policies:write' } as const;
const tags = ['Policies'];

export function policyRoutes(app: App, { db, changes, clock }: PolicyDeps): void {
  const get = async (id: string): Promise<Policy> => {
    const policy = await findPolicy(db, id);
    if (policy === undefined) throw fail('policy_not_found', `There is no policy ${id.slice(0, 100)}.`);
    return policy;
  };

  app.post(
    '/v1/policies',
    {
      config: write,
      schema: { tags, summary: 'Create a policy', body: CreatePolicy, response: { 201: PolicyAnswer } },
    },
    async (request, reply) => {
      const { body } = request;
      const now = clock.now();
      const policy: Policy = {
        no: 0,
        id: newId(POLICY_PREFIX, now),
        version: 1,
        name: body.name,
        description: body.description ?? null,
        rules: body.rules,
        defaultAction: body.defaultAction ?? 'deny',
        isDefault: false,
        createdAt: now,
        updatedAt: now,
      };
      const committed = await changes.commit(request, policy.id, async () => ({
        steps: insertPolicy(policy),
        changes: [{ kind: 'policy.created', id: policy.id }],
        status: 201,
        body: policyAnswer(policy),
        etag: policyEtag(policy),
      }));
      return sendCommitted(reply, committed);
    },
  );

  app.get(
    '/v1/policies',
    {
      config: read,
      schema: { tags, summary: 'List policies', querystring: PageQuerySchema, response: { 200: PolicyPage } },
    },
    async (request) => {
      const page = await listPolicies(db, request.query);
      return { ...page, data: page.data.map(policyAnswer) };
    },
  );

  app.get<{ Params: { id: string } }>(
    '/v1/policies/:id',
    { config: read, schema: { tags, summary: 'Read a policy', response: { 200: PolicyAnswer } } },
    async (request, reply) => {
      const policy = await get(request.params.id);
      if (isUnchanged(request, reply, policyEtag(policy))) return reply.send();
      return policyAnswer(policy);
    },
  );

  app.patch<{ Params: { id: string }; Body: UpdatePolicy }>(
    '/v1/policies/:id',
    { config: write, schema: { tags, summary: 'Edit a policy', body: UpdatePolicy, response: { 200: PolicyAnswer } } },
    async (request, reply) => {
      const { body } = request;
      const { id } = request.params;
      const committed = await changes.commit(request, id, async () => {
        const before = await get(id);
        requireMatch(request, policyEtag(before));
        const policy: Policy = {
          ...before,
          name: body.name ?? before.name,
          description: body.description === undefined ? before.description : body.description,
          rules: body.rules ?? before.rules,
          defaultAction: body.defaultAction ?? before.defaultAction,
          version: before.version + 1,
          updatedAt: clock.now(),
        };
        return {
          steps: updatePolicy(policy),
          changes: [{ kind: 'policy.updated', id }],
          status: 200,
          body: policyAnswer(policy),
          etag: policyEtag(policy),
        };
      });
      return sendCommitted(reply, committed);
    },
  );

  app.delete<{ Params: { id: string } }>(
    '/v1/policies/:id',
    { config: write, schema: { tags, summary: 'Delete a policy', response: { 200: PolicyDeleted } } },
    async (request, reply) => {
      const { id } = request.params;
      const committed = await changes.commit(request, id, async () => {
        const policy = await get(id);
        requireMatch(request, policyEtag(policy));
        if (policy.isDefault || id === DEFAULT_POLICY_ID) {
          throw fail('default_policy', 'The default policy cannot be deleted; edit it instead.');
        }
        if (await policyInUse(db, id)) {
          throw fail('policy_in_use', 'Content (perhaps archived) still has this policy; give it another one first.');
        }
        return {
          steps: [deletePolicy(policy)],
          changes: [{ kind: 'policy.deleted', id }],
          status: 200,
          body: { id, object: 'policy', deleted: true },
        };
      });
      return sendCommitted(reply, committed);
    },
  );
}

/** Create, list, read, edit, delete and roll back policies, and read their versions. */
import type { Changes } from '../api/changes/changes.ts';
import { type Resource, resource } from '../api/changes/resource.ts';
import { fail } from '../api/errors.ts';
import type { App } from '../api/http/app.ts';
import { isUnchanged, NotModified } from '../api/http/etag.ts';
import { PageQuerySchema, toList } from '../api/http/list.ts';
import { edit, route } from '../api/http/route.ts';
import type { Db } from '../db/db.ts';
import { cutPage, fromCursor, PAGE_DEFAULT, type Page, type PageQuery } from '../db/page.ts';
import type { Clock } from '../lib/clock.ts';
import { diff } from '../rules/diff.ts';
import { lintInSlices } from '../rules/lint/lint.ts';
import type { FindVerifiable } from '../rules/lint/unverified.ts';
import type { Policy } from '../rules/policy.ts';
import { type PolicyTemplate, TEMPLATES } from '../rules/templates.ts';
import {
  getVersion,
  newPolicy,
  planCreate,
  planDelete,
  planMakeDefault,
  planRollback,
  planUpdate,
  withWarnings,
} from './edits.ts';
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

export interface PolicyDeps {
  db: Db;
  changes: Changes;
  clock: Clock;
  findVerifiable: FindVerifiable;
}

const reading = { tag: 'Policies', permission: 'policies:read' } as const;
const writing = { tag: 'Policies', permission: 'policies:write' } as const;
const editing = { ...writing, ifMatch: true } as const;

export function policyRoutes(app: App, deps: PolicyDeps): void {
  const { db, changes } = deps;
  const policies = resource<Policy>({
    changes,
    find: (id) => findPolicy(db, id),
    notFound: (id) => fail('policy_not_found', `There is no policy ${id.slice(0, 100)}.`),
    etag: policyEtag,
  });
  readingRoutes(app, deps, policies);
  editingRoutes(app, deps, policies);
  versionRoutes(app, deps, policies);
}

const TEMPLATE_IDS = TEMPLATES.map(({ id }) => id);
const TEMPLATE_CURSOR = new RegExp(`^(${TEMPLATE_IDS.join('|')})$`);

/** Returns a page of the templates in their order. Throws InvalidCursor. */
function listTemplates({ limit = PAGE_DEFAULT, cursor }: PageQuery): Page<PolicyTemplate> {
  const start = cursor === undefined ? 0 : TEMPLATE_IDS.indexOf(fromCursor(cursor, TEMPLATE_CURSOR)) + 1;
  return cutPage(TEMPLATES.slice(start, start + limit + 1), limit, TEMPLATES.length, ({ id }) => id);
}

function readingRoutes(app: App, { db, findVerifiable }: PolicyDeps, policies: Resource<Policy>): void {
  const list = { ...reading, id: 'listPolicies', is: 'List policies', query: PageQuerySchema, answer: PolicyPage };
  route(app, 'GET /v1/policies', list, async ({ query }) => toList(await listPolicies(db, query), policyAnswer));

  const templates = {
    ...reading,
    id: 'listPolicyTemplates',
    is: 'List templates',
    query: PageQuerySchema,
    answer: TemplatePage,
  };
  route(app, 'GET /v1/policies/templates', templates, async ({ query }) => toList(listTemplates(query)));

  const read = {
    ...reading,
    id: 'getPolicy',
    is: 'Read a policy',
    answers: { 200: PolicyAnswer, 304: NotModified },
  };
  route(app, 'GET /v1/policies/:id', read, async (request, reply) => {
    const policy = await policies.get(request.params.id);
    return isUnchanged(request, reply, policyEtag(policy)) ? reply.send() : policyAnswer(policy);
  });

  const check = { ...reading, id: 'lintPolicy', is: 'Find likely mistakes', body: LintPolicy, answer: LintAnswer };
  route(app, 'POST /v1/policies/lint', check, async ({ body: { rules, defaultAction = 'deny' } }) => ({
    object: 'policy_lint' as const,
    warnings: await lintInSlices(rules, defaultAction, await findVerifiable(rules)),
  }));
}

function editingRoutes(app: App, deps: PolicyDeps, policies: Resource<Policy>): void {
  const { db, changes, clock, findVerifiable } = deps;
  const create = {
    ...writing,
    id: 'createPolicy',
    is: 'Create a policy',
    body: CreatePolicy,
    answers: { 201: PolicyWithWarnings },
  };
  edit(app, 'POST /v1/policies', create, async (request) => {
    const policy = newPolicy(request.body, clock.now());
    return changes.commit(request, policy.id, () => withWarnings(findVerifiable, planCreate(policy)));
  });

  const update = {
    ...editing,
    id: 'updatePolicy',
    is: 'Edit a policy',
    body: UpdatePolicy,
    answer: PolicyWithWarnings,
  };
  edit(app, 'PATCH /v1/policies/:id', update, (request) =>
    policies.edit(request, (before) => withWarnings(findVerifiable, planUpdate(before, request.body, clock.now()))),
  );

  const remove = { ...editing, id: 'deletePolicy', is: 'Delete a policy', answer: PolicyDeleted };
  edit(app, 'DELETE /v1/policies/:id', remove, (request) => policies.edit(request, (before) => planDelete(db, before)));

  const makeDefault = {
    ...editing,
    id: 'makePolicyDefault',
    is: 'Use this policy for new content',
    answer: PolicyAnswer,
  };
  edit(app, 'POST /v1/policies/:id/make-default', makeDefault, (request) =>
    policies.edit(request, (policy) => planMakeDefault(policy, clock.now())),
  );
}

function versionRoutes(app: App, { db, clock, findVerifiable }: PolicyDeps, policies: Resource<Policy>): void {
  const rollback = {
    ...editing,
    id: 'rollbackPolicy',
    is: 'Restore an old version as a new one',
    body: Rollback,
    answer: PolicyWithWarnings,
  };
  edit(app, 'POST /v1/policies/:id/rollback', rollback, (request) =>
    policies.edit(request, async (before) =>
      withWarnings(findVerifiable, await planRollback(db, before, request.body.version, clock.now())),
    ),
  );

  const list = {
    ...reading,
    id: 'listPolicyVersions',
    is: 'List versions',
    query: PageQuerySchema,
    answer: VersionPage,
  };
  route(app, 'GET /v1/policies/:id/versions', list, async ({ params, query }) =>
    toList(await listVersions(db, await policies.get(params.id), query), versionAnswer),
  );

  const read = { ...reading, id: 'getPolicyVersion', is: 'Read a version', answer: VersionAnswer };
  route(app, 'GET /v1/policies/:id/versions/:version', read, async ({ params }) =>
    versionAnswer(await getVersion(db, await policies.get(params.id), parseVersion(params.version))),
  );

  const compare = { ...reading, id: 'diffPolicyVersions', is: 'Compare two versions', answer: DiffAnswer };
  route(app, 'GET /v1/policies/:id/versions/:version/diff/:other', compare, async ({ params }) => {
    const policy = await policies.get(params.id);
    const from = await getVersion(db, policy, parseVersion(params.version));
    const to = await getVersion(db, policy, parseVersion(params.other));
    return {
      object: 'policy_diff' as const,
      policyId: policy.id,
      from: from.version,
      to: to.version,
      ...diff(from, to),
    };
  });
}

/** Parses a version in a path. Throws policy_version_not_found for what cannot be one. */
function parseVersion(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw fail('policy_version_not_found', `A version is a whole number from 1, not ${text.slice(0, 40)}.`);
}

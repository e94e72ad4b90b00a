/** `what would have become of the decisions of the past under these rules?` */
import type { FastifyReply } from 'fastify';
import type { Db } from '../db/db.ts';
import { fail } from '../errors.ts';
import { parseMoment } from '../http/formats.ts';
import type { App } from '../http/server.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { getVersion } from '../policies/edits.ts';
import type { Policy, PolicyVersion } from '../policies/policy.ts';
import { findPolicy } from '../policies/store.ts';
import { ImpactAnswer, ImpactRequest } from './impact-schema.ts';
import type { Impacts } from './impacts.ts';
import { withRules } from './simulate.ts';

export interface ImpactDeps {
  db: Db;
  ledger: Ledger;
  impacts: Impacts;
}

const EXAMPLES_DEFAULT = 5;
const SPAN_DEFAULT_MS = 30 * 86_400_000;

export function impactRoutes(app: App, { db, ledger, impacts }: ImpactDeps): void {
  app.post<{ Params: { id: string }; Body: ImpactRequest }>(
    '/v1/policies/:id/impact',
    {
      // It tells who asked for what: that is analytics, whatever the rules are read for.
      config: { permission: 'analytics:read' },
      schema: {
        tags: ['Policies'],
        operationId: 'previewPolicyImpact',
        summary: 'Decide the recorded decisions of a policy again by other rules',
        body: ImpactRequest,
        response: { 200: ImpactAnswer },
      },
    },
    async ({ body, params: { id } }, reply) => {
      const span = spanOf(body, ledger.now());
      if ((body.policy === undefined) === (body.version === undefined)) {
        throw fail('invalid_request', 'Give either `policy` with rules, or the number of a `version`.', {
          param: 'policy',
        });
      }
      const policy = await findPolicy(db, id);
      if (policy === undefined) throw fail('policy_not_found', `There is no policy ${id.slice(0, 100)}.`);
      const draft = await draftOf(db, policy, body);
      const { examples = EXAMPLES_DEFAULT } = body;
      return impacts.preview({ draft, ledgerNo: ledger.ledgerNo, examples, ...span }, hangUpOf(reply));
    },
  );
}

/** Throws policy_version_not_found. */
async function draftOf(db: Db, policy: Policy, { policy: body, version }: ImpactRequest): Promise<PolicyVersion> {
  if (version !== undefined) return getVersion(db, policy, version);
  const { rules = [], defaultAction = policy.defaultAction } = body ?? {};
  // No recorded decision has the version 0.
  return withRules({ no: policy.no, id: policy.id, version: 0 }, { rules, defaultAction });
}

/** Throws invalid_request. */
function spanOf(body: ImpactRequest, now: number): { from: number; to: number } {
  const to = body.to === undefined ? now + 1 : (parseMoment(body.to) ?? now);
  const from = body.from === undefined ? to - SPAN_DEFAULT_MS : (parseMoment(body.from) ?? 0);
  if (from < to) return { from, to };
  throw fail('invalid_request', '`from` must be before `to`.', { param: 'from' });
}

/** Aborts when the client goes away before its answer is written. */
function hangUpOf({ raw }: FastifyReply): AbortSignal {
  const hangUp = new AbortController();
  raw.once('close', () => {
    if (!raw.writableFinished) hangUp.abort();
  });
  return hangUp.signal;
}

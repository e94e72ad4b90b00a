/** Simulation, "what would these rules decide?", and the impact preview, "what would they have decided?". */

import type { FastifyReply } from 'fastify';
import { fail } from '../../api/errors.ts';
import type { App } from '../../api/http/app.ts';
import { route } from '../../api/http/route.ts';
import type { Db } from '../../db/db.ts';
import { acceptOne } from '../../decisions/check/ask.ts';
import type { Ledger } from '../../decisions/ledger/ledger.ts';
import { parseIso } from '../../lib/clock.ts';
import { mapInSlices } from '../../lib/slices.ts';
import { getVersion } from '../../policies/edits.ts';
import { findPolicy } from '../../policies/store.ts';
import type { Policy, PolicyVersion } from '../../rules/policy.ts';
import type { Impacts } from './impact-thread.ts';
import { ImpactAnswer, ImpactRequest, SimulateAnswer, SimulateRequest } from './schema.ts';
import { type SimulateDeps, simulate, withRules } from './simulate.ts';

export function simulateRoutes(app: App, deps: SimulateDeps): void {
  const operation = {
    // The caller chooses the rules, and with them could read any item and requester.
    permission: ['policies:read', 'content:read'],
    secretKey: true,
    bulk: true,
    tag: 'Policies',
    id: 'simulatePolicy',
    is: 'Decide up to 1,000 checks by rules that are not stored',
    body: SimulateRequest,
    answer: SimulateAnswer,
  } as const;
  route(app, 'POST /v1/policies/simulate', operation, async ({ body, caller }, reply) => {
    const terms = { caller, now: deps.now, dry: true };
    const asks = await mapInSlices(body.checks, (one) => acceptOne(terms, one));
    const data = await simulate(deps, caller, body.policy, asks);
    return reply.send({ object: 'list', data, hasMore: false, totalCount: data.length, nextCursor: null });
  });
}

export interface ImpactDeps {
  db: Db;
  ledger: Ledger;
  impacts: Impacts;
}

const EXAMPLES_DEFAULT = 5;
const SPAN_DEFAULT_MS = 30 * 86_400_000;

export function impactRoutes(app: App, { db, ledger, impacts }: ImpactDeps): void {
  const operation = {
    // It shows who requested what, and by rules of the caller's own choice what is known of requesters.
    permission: ['policies:read', 'analytics:read'],
    secretKey: true,
    tag: 'Policies',
    id: 'previewPolicyImpact',
    is: 'Decide the recorded decisions of a policy again by other rules',
    body: ImpactRequest,
    answer: ImpactAnswer,
  } as const;
  route(app, 'POST /v1/policies/:id/impact', operation, async ({ body, params: { id } }, reply) => {
    const span = readSpan(body, ledger.now());
    if ((body.policy === undefined) === (body.version === undefined)) {
      throw fail('invalid_request', 'Give either `policy` with rules, or the number of a `version`.', {
        param: 'policy',
      });
    }
    const policy = await findPolicy(db, id);
    if (policy === undefined) throw fail('policy_not_found', `There is no policy ${id.slice(0, 100)}.`);
    const draft = await readDraft(db, policy, body);
    const { examples = EXAMPLES_DEFAULT } = body;
    return impacts.preview({ draft, ledgerNo: ledger.ledgerNo, examples, ...span }, toSignal(reply));
  });
}

/** Throws policy_version_not_found. */
async function readDraft(db: Db, policy: Policy, { policy: body, version }: ImpactRequest): Promise<PolicyVersion> {
  if (version !== undefined) return getVersion(db, policy, version);
  const { rules = [], defaultAction = policy.defaultAction } = body ?? {};
  // No recorded decision has version 0.
  return withRules({ no: policy.no, id: policy.id, version: 0 }, { rules, defaultAction });
}

/** Throws invalid_request. */
function readSpan(body: ImpactRequest, now: number): { from: number; to: number } {
  const to = body.to === undefined ? now + 1 : (parseIso(body.to) ?? now);
  const from = body.from === undefined ? to - SPAN_DEFAULT_MS : (parseIso(body.from) ?? 0);
  if (from < to) return { from, to };
  throw fail('invalid_request', '`from` must be before `to`.', { param: 'from' });
}

/** Aborts when the client goes away before its answer is written. */
export function toSignal({ raw }: FastifyReply): AbortSignal {
  const hangUp = new AbortController();
  raw.once('close', () => {
    if (!raw.writableFinished) hangUp.abort();
  });
  return hangUp.signal;
}

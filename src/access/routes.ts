/** `may this requester have this item?`, one by one and in batches. */
import { Compile } from 'typebox/compile';
import { Failure, fail, invalid } from '../errors.ts';
import type { Caller } from '../http/auth.ts';
import { pageOf } from '../http/list.ts';
import { problemsOf } from '../http/problems.ts';
import { sendJson } from '../http/reply.ts';
import { type App, BULK_BODY_BYTES_MAX } from '../http/server.ts';
import { type CheckDeps, check, checkBatch } from './check.ts';
import { BatchRequest, CheckRequest, DecisionAnswer } from './schema.ts';

const config = { permission: 'access:check' } as const;
const tags = ['Access'];
const compiledCheck = Compile(CheckRequest);

export function accessRoutes(app: App, deps: CheckDeps): void {
  app.post(
    '/v1/access/check',
    { config, schema: { tags, summary: 'Ask for a decision', body: CheckRequest, response: { 200: DecisionAnswer } } },
    async (request, reply) => {
      refuseVouching(request.caller, request.body);
      return sendJson(reply, 200, await check(deps, request.caller, request.body, request.idempotency));
    },
  );

  app.post(
    '/v1/access/check/batch',
    {
      config,
      bodyLimit: BULK_BODY_BYTES_MAX,
      schema: {
        tags,
        summary: 'Ask for up to 1,000 decisions',
        body: BatchRequest,
        response: { 200: pageOf(DecisionAnswer) },
      },
    },
    async (request, reply) => {
      const { caller, idempotency } = request;
      const requests = request.body.checks.map((one) => validCheck(caller, one));
      return sendJson(reply, 200, await checkBatch(deps, caller, requests, idempotency));
    },
  );
}

function validCheck(caller: Caller, one: unknown): CheckRequest | Failure {
  if (!compiledCheck.Check(one)) return invalid(problemsOf(CheckRequest, one, 'check'));
  try {
    refuseVouching(caller, one);
    return one;
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}

/** A public key is in anybody's hands: its word for a licence counts for nothing. */
function refuseVouching(caller: Caller, request: CheckRequest): void {
  if (!caller.readOnly || request.license === undefined) return;
  throw fail('invalid_request', 'A public key cannot vouch for a license; ask with a secret key.', {
    param: 'license',
  });
}

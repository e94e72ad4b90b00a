/** `may this requester have this item?`, one by one and in batches. */
import { Type } from 'typebox';
import { pageOf } from '../http/list.ts';
import { sendJson } from '../http/reply.ts';
import { type App, BULK_BODY_BYTES_MAX } from '../http/server.ts';
import { accept, acceptOne } from './accept.ts';
import { type CheckDeps, check, checkBatch } from './check.ts';
import { BatchRequest, CheckError, CheckRequest, DecisionAnswer } from './schema.ts';

const config = { permission: 'access:check' } as const;
const tags = ['Access'];

export function accessRoutes(app: App, deps: CheckDeps): void {
  app.post(
    '/v1/access/check',
    {
      config,
      schema: {
        tags,
        operationId: 'checkAccess',
        summary: 'Ask for a decision',
        body: CheckRequest,
        response: { 200: DecisionAnswer },
      },
    },
    async (request, reply) => {
      const { caller, body, idempotency } = request;
      accept({ caller, now: deps.ledger.now(), dry: false }, body);
      return sendJson(reply, 200, await check(deps, caller, body, idempotency));
    },
  );

  app.post(
    '/v1/access/check/batch',
    {
      config,
      bodyLimit: BULK_BODY_BYTES_MAX,
      schema: {
        tags,
        operationId: 'checkAccessBatch',
        summary: 'Ask for up to 1,000 decisions',
        body: BatchRequest,
        response: { 200: pageOf(Type.Union([DecisionAnswer, CheckError])) },
      },
    },
    async (request, reply) => {
      const { caller, idempotency } = request;
      const terms = { caller, now: deps.ledger.now(), dry: false };
      const requests = request.body.checks.map((one) => acceptOne(terms, one));
      return sendJson(reply, 200, await checkBatch(deps, caller, requests, idempotency));
    },
  );
}

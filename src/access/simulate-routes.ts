/** `what would these rules decide?` and `what would have become of the decisions of the past?` */
import { type App, BULK_BODY_BYTES_MAX } from '../http/server.ts';
import { acceptOne } from './accept.ts';
import { type SimulateDeps, simulate } from './simulate.ts';
import { SimulateAnswer, SimulateRequest } from './simulate-schema.ts';

const config = { permission: 'policies:read' } as const;
const tags = ['Policies'];

export function simulateRoutes(app: App, deps: SimulateDeps): void {
  app.post(
    '/v1/policies/simulate',
    {
      config,
      bodyLimit: BULK_BODY_BYTES_MAX,
      schema: {
        tags,
        operationId: 'simulatePolicy',
        summary: 'Decide up to 1,000 checks by rules that are not stored',
        body: SimulateRequest,
        response: { 200: SimulateAnswer },
      },
    },
    async (request) => {
      const terms = { caller: request.caller, now: deps.now(), dry: true };
      const requests = request.body.checks.map((one) => acceptOne(terms, one));
      const data = await simulate(deps, request.body.policy, requests);
      return { object: 'list' as const, data, hasMore: false, totalCount: data.length, nextCursor: null };
    },
  );
}

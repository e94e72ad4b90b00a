/** How the service is doing, for people: what `/metrics` tells machines, in one answer of the API. */
import { type Static, Type } from 'typebox';
import type { App } from './server.ts';

const bytes = (description: string) => Type.Integer({ minimum: 0, description: `${description}, in bytes` });
const count = (description: string) => Type.Integer({ minimum: 0, description });

const StatusAnswer = Type.Object(
  {
    object: Type.Literal('status'),
    version: Type.String(),
    started: Type.String({ description: 'When this process began to answer' }),
    storage: Type.Object({
      recordsBytes: bytes('Size of the records'),
      columnsBytes: bytes('Size of the columns'),
      diskBytes: bytes('Size of the disk they are on'),
      diskFreeBytes: bytes('What of it is free'),
    }),
    ledger: Type.Object({
      decisions: count('Decisions recorded by this process'),
      waiting: count('Checks waiting to be recorded'),
      commits: count('Group commits of this process'),
    }),
    columns: Type.Object({
      behind: count('Decisions not yet in the columns'),
      rebuilds: count('Times the columns were counted again'),
      restarts: count('Times their thread was started again'),
    }),
    webhooks: Type.Object({
      succeeded: count('Attempts answered with success'),
      failed: count('Attempts that failed'),
      inFlight: count('Attempts under way'),
    }),
    memoryBytes: bytes('Memory of the process'),
  },
  { description: 'How the service is doing' },
);
export type Status = Static<typeof StatusAnswer>;

export function statusRoutes(app: App, read: () => Promise<Status>): void {
  app.get(
    '/v1/status',
    {
      config: { permission: 'api_keys:manage' },
      schema: {
        tags: ['Operations'],
        operationId: 'getStatus',
        summary: 'How the service is doing',
        response: { 200: StatusAnswer },
      },
    },
    async () => read(),
  );
}

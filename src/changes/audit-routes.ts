/** The audit log: list, or stream the whole selection as NDJSON. */
import { Readable } from 'node:stream';
import { Type } from 'typebox';
import type { Db } from '../db/db.ts';
import { preferred } from '../http/accept.ts';
import { pageOf, pageProperties, spanOf, spanProperties } from '../http/list.ts';
import type { App } from '../http/server.ts';
import { stringifyOrdered } from '../lib/json.ts';
import { type AuditFilter, listAudit, streamAudit, TARGETS } from './audit.ts';
import { CHANGE_KINDS } from './kinds.ts';

const MEDIA_TYPES = ['application/json', 'application/x-ndjson'] as const;

const ListAuditQuery = Type.Object(
  {
    ...pageProperties,
    actor: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: 'Id of a key, or `system`' })),
    object: Type.Optional(
      Type.String({ minLength: 1, maxLength: 128, description: `Id of a record, or one of ${TARGETS.join(', ')}` }),
    ),
    kind: Type.Optional(Type.Enum([...CHANGE_KINDS])),
    ...spanProperties,
  },
  { additionalProperties: false },
);

const textOrNull = Type.Union([Type.String(), Type.Null()]);
const AuditEntryAnswer = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal('audit_entry'),
    kind: Type.Enum([...CHANGE_KINDS]),
    created: Type.String(),
    actor: Type.Object({ type: Type.Enum(['api_key', 'system']), id: textOrNull, name: textOrNull }),
    address: textOrNull,
    requestId: textOrNull,
    target: Type.Object({ type: Type.Enum(TARGETS), id: Type.String() }),
    before: Type.Unknown({ description: 'The record before; null when it was created' }),
    after: Type.Unknown({ description: 'The record after; null when it was deleted' }),
  },
  { description: 'Who changed what' },
);

export function auditRoutes(app: App, db: Db): void {
  app.get(
    '/v1/audit-log',
    {
      config: { permission: 'api_keys:manage' },
      schema: {
        tags: ['Audit log'],
        operationId: 'listAuditEntries',
        summary: 'Who changed what',
        querystring: ListAuditQuery,
        response: { 200: pageOf(AuditEntryAnswer) },
      },
    },
    async (request, reply) => {
      const { actor, object, kind, from, to, ...page } = request.query;
      const filter: AuditFilter = {
        ...(actor === undefined ? {} : { actor }),
        ...(object === undefined ? {} : { object }),
        ...(kind === undefined ? {} : { kind }),
        ...spanOf({ ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) }),
      };
      if (preferred(request.headers.accept, MEDIA_TYPES) === 'application/json') return listAudit(db, filter, page);
      return reply
        .type('application/x-ndjson; charset=utf-8')
        .serializer((text) => text as string)
        .send(Readable.from(lines(db, filter)) as never);
    },
  );
}

async function* lines(db: Db, filter: AuditFilter): AsyncGenerator<string> {
  for await (const entries of streamAudit(db, filter)) {
    yield entries.map((entry) => `${stringifyOrdered(entry)}\n`).join('');
  }
}

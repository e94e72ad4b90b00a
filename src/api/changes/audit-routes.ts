/** The audit log: list, or stream the whole selection as NDJSON. */
import { Type } from 'typebox';
import type { Db } from '../../db/db.ts';
import { textOrNull } from '../../lib/nullable.ts';
import { mapInSlices } from '../../lib/slices.ts';
import type { App } from '../http/app.ts';
import { listSchema, pageProperties, readSpan, spanProperties, toList } from '../http/list.ts';
import { chosenMedia } from '../http/negotiate.ts';
import { sendText } from '../http/reply.ts';
import { route } from '../http/route.ts';
import { type AuditFilter, listAudit, streamAudit, TARGETS } from './audit.ts';
import { CHANGE_KINDS } from './kinds.ts';

const ListAuditQuery = Type.Object(
  {
    ...pageProperties,
    actor: Type.Optional(
      Type.String({ minLength: 1, maxLength: 64, description: 'Id of a key or a user, or `system`' }),
    ),
    object: Type.Optional(
      Type.String({ minLength: 1, maxLength: 128, description: `Id of a record, or one of ${TARGETS.join(', ')}` }),
    ),
    kind: Type.Optional(Type.Enum([...CHANGE_KINDS])),
    ...spanProperties,
  },
  { additionalProperties: false },
);

const AuditEntryAnswer = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal('audit_entry'),
    kind: Type.Enum([...CHANGE_KINDS]),
    created: Type.String(),
    actor: Type.Object({
      type: Type.Enum(['api_key', 'user', 'requester_token', 'system']),
      id: textOrNull(),
      name: textOrNull(),
    }),
    address: textOrNull(),
    requestId: textOrNull(),
    target: Type.Object({ type: Type.Enum(TARGETS), id: Type.String() }),
    before: Type.Unknown({ description: 'The record before; null when it was created' }),
    after: Type.Unknown({ description: 'The record after; null when it was deleted' }),
  },
  { title: 'AuditEntry', description: 'One change of a record, and who made it' },
);

export function auditRoutes(app: App, db: Db): void {
  route(
    app,
    'GET /v1/audit-log',
    {
      permission: 'api_keys:manage',
      tag: 'Audit log',
      id: 'listAuditEntries',
      is: 'List who changed what',
      query: ListAuditQuery,
      answer: listSchema(AuditEntryAnswer),
      media: ['application/json', 'application/x-ndjson'],
    },
    async (request, reply) => {
      const { query } = request;
      const { actor, object, kind } = query;
      const filter = { actor, object, kind, ...readSpan(query) };
      return chosenMedia(request) === 'application/json'
        ? toList(await listAudit(db, filter, query))
        : sendText(reply, 'application/x-ndjson; charset=utf-8', lines(db, filter));
    },
  );
}

async function* lines(db: Db, filter: AuditFilter): AsyncGenerator<string> {
  for await (const entries of streamAudit(db, filter)) {
    yield (await mapInSlices(entries, (entry) => `${JSON.stringify(entry)}\n`)).join('');
  }
}

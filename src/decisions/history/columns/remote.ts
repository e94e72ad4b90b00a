/**
 * The columns of another node of the cluster. Promise: the same answers as local columns, exact when asked; Unavailable
 * if that node does not answer. Nodes authenticate by a secret that is only in their database.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { deserialize, serialize } from 'node:v8';
import { Type } from 'typebox';
import type { Agent } from 'undici';
import { fail } from '../../../api/errors.ts';
import type { App } from '../../../api/http/app.ts';
import { BODY_BYTES_MAX } from '../../../api/http/body.ts';
import { type Db, Unavailable } from '../../../db/db.ts';
import type { Alarms } from './alarms.ts';
import type { Bounds, Columns } from './columns.ts';
import type { ColumnsQuestion } from './columns-worker.ts';
import type { Divergences } from './divergences.ts';
import type { LicensedCell, LicensedWindow } from './licensed.ts';
import type { CountedVisitors } from './visitors.ts';

const PATH = '/internal/columns';
/** Longer than a question may wait on the other node. */
const ANSWER_WITHIN_MS = 12_000;

/** Returns the secret of all nodes, created at the first start. */
export async function clusterSecret(db: Db): Promise<string> {
  await db.atomic([
    {
      sql: `insert into settings (name, value) values ('cluster_secret', $1) on conflict (name) do nothing`,
      params: [randomBytes(32).toString('base64url')],
    },
  ]);
  const [row] = await db.read<{ value: string }>(`select value from settings where name = 'cluster_secret'`);
  return row?.value ?? '';
}

/** `url`: the address of the node with columns. */
export function openRemoteColumns(url: string, secret: string): Columns {
  let agent: Agent | undefined;

  async function ask<T>(question: ColumnsQuestion): Promise<T> {
    let status: number;
    let answer: Buffer;
    try {
      const undici = await import('undici');
      agent ??= new undici.Agent({ connections: 16 });
      const { statusCode, body } = await undici.request(new URL(PATH, url), {
        method: 'POST',
        headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
        body: JSON.stringify(question),
        dispatcher: agent,
        headersTimeout: ANSWER_WITHIN_MS,
        bodyTimeout: ANSWER_WITHIN_MS,
      });
      status = statusCode;
      answer = Buffer.from(await body.arrayBuffer());
    } catch (cause) {
      throw new Unavailable('the node with the columns does not answer', { cause });
    }
    if (status !== 200) throw new Unavailable(`the node with the columns answered ${status}`);
    return deserialize(answer) as T;
  }

  return {
    ask,
    report: (query) => ask({ kind: 'report', query }),
    visitors: async (query) =>
      known(await ask<CountedVisitors | Bounds | null>({ kind: 'visitors', query }), 'visitors'),
    stats: (contentNo) => ask({ kind: 'stats', contentNo }),
    find: (filter, page) => ask({ kind: 'find', filter, page }),
    seen: (query) => ask({ kind: 'seen', query }),
    programs: (query) => ask({ kind: 'programs', query }),
    demand: (query) => ask({ kind: 'demand', query }),
    alarms: async (query) => known(await ask<Alarms | Bounds | null>({ kind: 'alarms', query }), 'denials'),
    divergences: async (query) =>
      known(await ask<Divergences | Bounds | null>({ kind: 'divergences', query }), 'byReason'),
    async licensedCells(query) {
      const cells = await ask<LicensedCell[] | Bounds | null>({ kind: 'licensedCells', query });
      if (!Array.isArray(cells)) throw new Unavailable(OLDER);
      return cells;
    },
    licensedGroups: async (query) =>
      known(await ask<LicensedWindow | Bounds | null>({ kind: 'licensedGroups', query }), 'groups'),
    async licensedCounts(query) {
      const counts = await ask<Map<string, number> | Bounds | null>({ kind: 'licensedCounts', query });
      if (!(counts instanceof Map)) throw new Unavailable(OLDER);
      return counts;
    },
    async unlicensed(query) {
      const count = await ask<number | Bounds | null>({ kind: 'unlicensed', query });
      if (typeof count !== 'number') throw new Unavailable(OLDER);
      return count;
    },
    bounds: () => ask({ kind: 'bounds' }),
    figures: () => ({ behind: 0, caughtUpAt: null, sizeBytes: 0, rebuilds: 0, questions: 0, restarts: 0 }),
    abandon: () => {},
    close: async () => agent?.close(),
  };
}

const OLDER = 'the node with the columns is older';

/** A node of the version before answers a question that it does not know with the bounds of the ledger. */
function known<Answer extends object>(answer: Answer | Bounds | null, field: keyof Answer): Answer {
  if (answer === null || !(field in answer)) throw new Unavailable(OLDER);
  return answer as Answer;
}

/** Answers nodes without columns; for all other callers the route does not exist. */
export function columnsRoutes(app: App, columns: Columns, secret: string): void {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  const wanted = digest(`Bearer ${secret}`);
  app.post(
    PATH,
    {
      config: { permission: null },
      bodyLimit: BODY_BYTES_MAX,
      schema: { hide: true, body: Type.Object({}, { additionalProperties: true }) },
      // Before the body is read, so that strangers cannot send one.
      onRequest({ headers }, _reply, done) {
        if (timingSafeEqual(digest(headers.authorization ?? ''), wanted)) done();
        else done(fail('route_not_found', `There is no POST ${PATH}. See /docs for what there is.`));
      },
    },
    async ({ body }, reply) => {
      const value = await columns.ask(body as ColumnsQuestion);
      return reply
        .type('application/octet-stream')
        .serializer((bytes) => bytes as never)
        .send(serialize(value));
    },
  );
}

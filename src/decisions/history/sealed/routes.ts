/** The receipts of decisions, and the public log: checkpoint, keys and tiles as C2SP tlog-tiles has them. */
import { Type } from 'typebox';
import { fail } from '../../../api/errors.ts';
import type { App } from '../../../api/http/app.ts';
import { sendText } from '../../../api/http/reply.ts';
import { route } from '../../../api/http/route.ts';
import { TILE } from '../../../lib/merkle.ts';
import { readKeys, type Signing, writeKeys } from './keys.ts';
import { makeReceipt, type ReceiptDeps } from './proof.ts';
import { openTiles, PUBLIC_TREE } from './tiles.ts';
import { readCosigned } from './witnesses.ts';

export const ReceiptQuery = Type.Object(
  {
    since: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'The size of an earlier checkpoint: the receipt also shows that the log continues it',
      }),
    ),
  },
  { additionalProperties: false },
);

export const StatementReceiptQuery = Type.Object(
  {
    ...ReceiptQuery.properties,
    decisionId: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description: 'The receipt also shows that a line of the statement counts this decision',
      }),
    ),
  },
  { additionalProperties: false },
);

export const RECEIPT_TYPE = 'text/plain';
export const RECEIPT = {
  query: ReceiptQuery,
  answers: { 200: Type.String({ description: 'A receipt (C2SP tlog-proof); `postern verify` verifies it' }) },
  media: RECEIPT_TYPE,
};

export function receiptRoutes(app: App, deps: ReceiptDeps): void {
  const proof = {
    ...RECEIPT,
    tag: 'Access',
    permission: 'analytics:read',
    secretKey: true,
    id: 'getDecisionProof',
    is: 'Get the receipt of a decision',
  } as const;
  route(app, 'GET /v1/access/decisions/:id/proof', proof, async ({ params, query }, reply) => {
    reply.header('cache-control', 'no-store');
    return sendText(reply, `${RECEIPT_TYPE}; charset=utf-8`, await makeReceipt(deps, { ...params, ...query }));
  });
}

const schema = { hide: true } as object;
const config = { permission: null };
const FOR_GOOD = 'public, max-age=31536000, immutable';
/** Level, groups of three digits of the number, and the width of a tile that is not full. */
const TILE_PATH = /^(\d|[1-5]\d|6[0-3])\/((?:x\d{3}\/)*\d{3})(?:\.p\/([1-9]\d{0,2}))?$/;

/** Without `signing`, nothing is there. */
export function logRoutes(app: App, { db, signing }: Pick<ReceiptDeps, 'db'> & { signing: Signing | null }): void {
  if (signing === null) return;
  app.get('/log/checkpoint', { config, schema }, async (_request, reply) => {
    const checkpoint = await readCosigned(db, signing.witnesses);
    if (checkpoint === undefined) throw fail('route_not_found', 'The log has no checkpoint yet.');
    reply.header('cache-control', 'no-cache');
    return sendText(reply, 'text/plain; charset=utf-8', checkpoint.note);
  });

  app.get('/log/key', { config, schema }, async (_request, reply) => {
    reply.header('cache-control', 'no-cache');
    return sendText(reply, 'text/plain; charset=utf-8', writeKeys(await readKeys(db), signing));
  });

  app.get('/log/tile/*', { config, schema }, async (request, reply) => {
    const bytes = await readPublic(TILE_PATH.exec((request.params as { '*': string })['*']));
    if (bytes === undefined) throw fail('route_not_found', 'The log has no such tile.');
    return reply
      .header('cache-control', FOR_GOOD)
      .type('application/octet-stream')
      .serializer((payload: unknown) => payload as string)
      .send(bytes);
  });

  /** Checkpoint and tiles are written at once: all hashes that are there are covered. */
  async function readPublic(parts: RegExpExecArray | null): Promise<Buffer | undefined> {
    if (parts === null) return undefined;
    const no = Number((parts[2] as string).replaceAll(/[x/]/g, ''));
    const width = Number(parts[3] ?? TILE);
    if (!Number.isSafeInteger(no) || width > TILE || (parts[3] !== undefined && width === TILE)) return undefined;
    const hashes = await openTiles(db, PUBLIC_TREE)(Number(parts[1]), no);
    return hashes.length < width ? undefined : Buffer.concat(hashes.slice(0, width));
  }
}

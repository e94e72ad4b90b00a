/** Create, list, read, revoke and rotate the tokens of a requester. */
import type { Changes } from '../../api/changes/changes.ts';
import { fail } from '../../api/errors.ts';
import type { App } from '../../api/http/app.ts';
import { PageQuerySchema, toList } from '../../api/http/list.ts';
import { edit, route } from '../../api/http/route.ts';
import { toExpiry } from '../../api/keys/make.ts';
import type { Db } from '../../db/db.ts';
import type { Clock } from '../../lib/clock.ts';
import { requesterNotFound } from '../edits.ts';
import { findRequester } from '../store.ts';
import { planCreate, planRevoke, planRotate } from './edits.ts';
import { CreateToken, RotateToken, TokenAnswer, TokenPage, TokenRevoked, tokenAnswer } from './schema.ts';
import { findToken, listTokens } from './store.ts';
import type { RequesterToken } from './token.ts';
import type { Tokens } from './tokens.ts';

export interface TokenDeps {
  db: Db;
  changes: Changes;
  clock: Clock;
  tokens: Tokens;
}

const reading = { tag: 'Requesters', permission: 'requesters:read' } as const;
const writing = { tag: 'Requesters', permission: 'requesters:write' } as const;

export function tokenRoutes(app: App, { db, changes, clock, tokens }: TokenDeps): void {
  const show = (token: RequesterToken) => {
    const lastUsedAt = Math.max(tokens.lastUsedAt(token.id) ?? 0, token.lastUsedAt ?? 0);
    return tokenAnswer({ ...token, lastUsedAt: lastUsedAt === 0 ? null : lastUsedAt });
  };

  const create = {
    ...writing,
    id: 'createRequesterToken',
    is: 'Create a token of a requester',
    body: CreateToken,
    answers: { 201: TokenAnswer },
  };
  edit(app, 'POST /v1/requesters/:id/tokens', create, (request) => {
    const { params, body } = request;
    const expiresAt = toExpiry(body.expiresAt, clock.now());
    return changes.commit(request, params.id, async () => {
      await requireRequester(db, params.id);
      return planCreate(params.id, body.name, expiresAt, clock.now());
    });
  });

  const list = {
    ...reading,
    id: 'listRequesterTokens',
    is: 'List the tokens of a requester',
    query: PageQuerySchema,
    answer: TokenPage,
  };
  route(app, 'GET /v1/requesters/:id/tokens', list, async ({ params, query }) => {
    await requireRequester(db, params.id);
    return toList(await listTokens(db, params.id, query), show);
  });

  const read = { ...reading, id: 'getRequesterToken', is: 'Read a token', answer: TokenAnswer };
  route(app, 'GET /v1/requesters/:id/tokens/:tokenId', read, async ({ params }) => show(await getToken(db, params)));

  const revoke = { ...writing, id: 'revokeRequesterToken', is: 'Revoke a token', answer: TokenRevoked };
  edit(app, 'DELETE /v1/requesters/:id/tokens/:tokenId', revoke, (request) =>
    changes.commit(request, request.params.id, async () => planRevoke(await getToken(db, request.params), clock.now())),
  );

  const rotate = {
    ...writing,
    id: 'rotateRequesterToken',
    is: 'Replace a token by a new one',
    body: RotateToken,
    bodyOptional: true,
    answers: { 201: TokenAnswer },
  } as const;
  edit(app, 'POST /v1/requesters/:id/tokens/:tokenId/rotate', rotate, (request) =>
    changes.commit(request, request.params.id, async () =>
      planRotate(await getToken(db, request.params), (request.body.graceSeconds ?? 0) * 1000, clock.now()),
    ),
  );
}

/** Throws requester_not_found. */
async function requireRequester(db: Db, id: string): Promise<void> {
  if ((await findRequester(db, id)) === undefined) throw requesterNotFound(id);
}

/** Throws requester_not_found, requester_token_not_found. */
async function getToken(db: Db, { id, tokenId }: { id: string; tokenId: string }): Promise<RequesterToken> {
  await requireRequester(db, id);
  const token = await findToken(db, id, tokenId);
  if (token !== undefined) return token;
  throw fail(
    'requester_token_not_found',
    `Requester ${id} has no token ${tokenId.slice(0, 100)}; it may have been revoked.`,
  );
}

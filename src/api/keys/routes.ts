/** Create, list, read, rotate and revoke API keys, also under `/v1/api_keys`, which the API document leaves out. */

import type { Db } from '../../db/db.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Changes } from '../changes/changes.ts';
import { resource } from '../changes/resource.ts';
import { fail } from '../errors.ts';
import type { App } from '../http/app.ts';
import { listSchema, PageQuerySchema, toList } from '../http/list.ts';
import { edit, route } from '../http/route.ts';
import type { Caller } from '../permissions.ts';
import type { Keys } from './authenticate.ts';
import { type KeyEdit, planCreate, planRevoke, planRotate } from './edits.ts';
import type { FindHolder } from './grant.ts';
import type { Key } from './key.ts';
import { newKey } from './make.ts';
import { CreateKey, KeyAnswer, KeyRevoked, keyAnswer, RotateKey } from './schema.ts';
import { findKey, listKeys } from './store.ts';

export interface KeyDeps {
  db: Db;
  changes: Changes;
  clock: Clock;
  keys: Keys;
  holderOf: FindHolder;
}

const operation = { tag: 'API keys', permission: 'api_keys:manage' } as const;

export function keyRoutes(app: App, deps: KeyDeps): void {
  for (const path of ['/v1/api-keys', '/v1/api_keys'] as const) routesAt(app, path, deps);
}

function routesAt(
  app: App,
  path: '/v1/api-keys' | '/v1/api_keys',
  { db, changes, clock, keys, holderOf }: KeyDeps,
): void {
  const apiKeys = resource<Key>({ changes, find: (id) => findKey(db, id), notFound: keyNotFound });
  const show = (key: Key) => {
    const lastUsedAt = keys.lastUsedAt(key.id);
    return keyAnswer(lastUsedAt === null ? key : { ...key, lastUsedAt: Math.max(lastUsedAt, key.lastUsedAt ?? 0) });
  };
  const by = ({ caller }: { caller: Caller }): KeyEdit => ({
    db,
    callerId: caller.keyId,
    holderOf,
    now: clock.now(),
    show,
  });

  const create = {
    ...operation,
    id: 'createApiKey',
    is: 'Create a key',
    body: CreateKey,
    answers: { 201: KeyAnswer },
  };
  edit(app, `POST ${path}`, create, async (request) => {
    const { key, text } = newKey(request.body, clock.now());
    return changes.commit(request, key.id, () => planCreate(by(request), key, text));
  });

  const list = {
    ...operation,
    id: 'listApiKeys',
    is: 'List keys',
    query: PageQuerySchema,
    answer: listSchema(KeyAnswer),
  };
  route(app, `GET ${path}`, list, async ({ query }) => toList(await listKeys(db, query), show));

  const read = { ...operation, id: 'getApiKey', is: 'Read a key', answer: KeyAnswer };
  route(app, `GET ${path}/:id`, read, async ({ params }) => show(await apiKeys.get(params.id)));

  const revoke = { ...operation, id: 'revokeApiKey', is: 'Revoke a key', answer: KeyRevoked };
  edit(app, `DELETE ${path}/:id`, revoke, (request) => apiKeys.edit(request, (key) => planRevoke(by(request), key)));

  const rotate = {
    ...operation,
    id: 'rotateApiKey',
    is: 'Replace a key by a new one',
    body: RotateKey,
    bodyOptional: true,
    answers: { 201: KeyAnswer },
  } as const;
  edit(app, `POST ${path}/:id/rotate`, rotate, (request) =>
    apiKeys.edit(request, (key) => planRotate(by(request), key, (request.body.graceSeconds ?? 0) * 1000)),
  );
}

const keyNotFound = (id: string) => fail('api_key_not_found', `There is no API key ${id}; it may have been revoked.`);

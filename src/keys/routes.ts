/** Create, list, read, rotate and revoke API keys, also under `/v1/api_keys`. */
import { Type } from 'typebox';
import type { Changes } from '../changes/changes.ts';
import type { Db } from '../db/db.ts';
import { fail } from '../errors.ts';
import type { Caller } from '../http/auth.ts';
import { parseMoment } from '../http/formats.ts';
import { PageQuerySchema, pageOf } from '../http/list.ts';
import { sendCommitted } from '../http/reply.ts';
import type { App } from '../http/server.ts';
import type { Clock } from '../lib/clock.ts';
import { newId } from '../lib/id.ts';
import { holdsPermission, PERMISSIONS, type Permission } from '../permissions.ts';
import type { Keys } from './authenticate.ts';
import { hashOfKey, isAdmin, type Key, newKeyText, prefixOfKey } from './key.ts';
import { CreateKey, KeyAnswer, keyAnswer, RotateKey } from './schema.ts';
import { expireKey, findKey, hasOtherAdmin, insertKey, listKeys, revokeKey } from './store.ts';

export interface KeyDeps {
  db: Db;
  changes: Changes;
  clock: Clock;
  keys: Keys;
}

const config = { permission: 'api_keys:manage' } as const;
const tags = ['API keys'];

export function keyRoutes(app: App, deps: KeyDeps): void {
  for (const path of ['/v1/api-keys', '/v1/api_keys']) routesAt(app, path, deps);
}

function routesAt(app: App, path: string, { db, changes, clock, keys }: KeyDeps): void {
  const get = async (id: string): Promise<Key> => {
    const key = await findKey(db, id);
    if (key === undefined) throw fail('api_key_not_found', `There is no API key ${id}; it may have been revoked.`);
    return key;
  };
  const shown = (key: Key) => {
    const lastUsedAt = keys.lastUsedAt(key.id);
    return keyAnswer(lastUsedAt === null ? key : { ...key, lastUsedAt: Math.max(lastUsedAt, key.lastUsedAt ?? 0) });
  };

  app.post(
    path,
    {
      config,
      schema: {
        tags,
        operationId: 'createApiKey',
        summary: 'Create a key',
        body: CreateKey,
        response: { 201: KeyAnswer },
      },
    },
    async (request, reply) => {
      const { body, caller } = request;
      const now = clock.now();
      const permissions = [...new Set(body.permissions ?? DEFAULT_PERMISSIONS[body.type])];
      if (body.type === 'public') requirePublic(permissions);
      const expiresAt = body.expiresAt == null ? null : (parseMoment(body.expiresAt) ?? null);
      if (expiresAt !== null && expiresAt <= now) {
        throw fail('invalid_request', '`expiresAt` must be in the future.', { param: 'expiresAt' });
      }
      requireHeld(caller, permissions);
      const text = newKeyText(body.type);
      const key: Key = {
        id: newId('key_', now),
        prefix: prefixOfKey(text),
        name: body.name,
        type: body.type,
        permissions,
        allowedIps: [...new Set(body.allowedIps ?? [])],
        expiresAt,
        revokedAt: null,
        lastUsedAt: null,
        createdAt: now,
      };
      const committed = await changes.commit(request, key.id, async () => ({
        steps: [insertKey(key, hashOfKey(text))],
        changes: [{ kind: 'api_key.created', id: key.id, object: keyAnswer(key) }],
        status: 201,
        secret: true,
        body: keyAnswer(key, text),
      }));
      return sendCommitted(reply, committed);
    },
  );

  app.get(
    path,
    {
      config,
      schema: {
        tags,
        operationId: 'listApiKeys',
        summary: 'List keys',
        querystring: PageQuerySchema,
        response: { 200: pageOf(KeyAnswer) },
      },
    },
    async (request) => {
      const page = await listKeys(db, request.query);
      return { ...page, data: page.data.map(shown) };
    },
  );

  app.get<{ Params: { id: string } }>(
    `${path}/:id`,
    { config, schema: { tags, operationId: 'getApiKey', summary: 'Read a key', response: { 200: KeyAnswer } } },
    async (request) => shown(await get(request.params.id)),
  );

  app.delete<{ Params: { id: string } }>(
    `${path}/:id`,
    { config, schema: { tags, operationId: 'revokeApiKey', summary: 'Revoke a key', response: { 200: Revoked } } },
    async (request, reply) => {
      const { id } = request.params;
      const committed = await changes.commit(request, id, async () => {
        const key = await get(id);
        const guarded = await requireOtherAdmin(db, key);
        return {
          steps: [revokeKey(id, clock.now(), guarded)],
          changes: [{ kind: 'api_key.revoked', id, object: shown(key) }],
          status: 200,
          body: { id, object: 'api_key', revoked: true },
        };
      });
      return sendCommitted(reply, committed);
    },
  );

  app.post<{ Params: { id: string }; Body: { graceSeconds?: number } | undefined }>(
    `${path}/:id/rotate`,
    {
      config,
      // No body is the same as an empty one.
      preValidation: (request, _reply, done) => {
        request.body ??= {};
        done();
      },
      schema: {
        tags,
        operationId: 'rotateApiKey',
        summary: 'Replace a key by a new one',
        body: RotateKey,
        response: { 201: KeyAnswer },
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      const graceMs = (request.body?.graceSeconds ?? 0) * 1000;
      const committed = await changes.commit(request, id, async () => {
        const old = await get(id);
        if (old.expiresAt !== null && old.expiresAt <= clock.now()) {
          throw fail('invalid_request', 'This API key has expired; create a new one instead.');
        }
        requireHeld(request.caller, old.permissions);
        const now = clock.now();
        const text = newKeyText(old.type);
        const key: Key = {
          ...old,
          id: newId('key_', now),
          prefix: prefixOfKey(text),
          lastUsedAt: null,
          createdAt: now,
        };
        const end = old.expiresAt === null ? now + graceMs : Math.min(old.expiresAt, now + graceMs);
        const ended: Key = { ...old, expiresAt: end };
        return {
          steps: [insertKey(key, hashOfKey(text)), graceMs === 0 ? revokeKey(id, now, false) : expireKey(id, end)],
          changes: [
            { kind: 'api_key.created', id: key.id, object: keyAnswer(key) },
            { kind: 'api_key.rotated', id, object: shown(ended), before: shown(old) },
          ],
          status: 201,
          secret: true,
          body: keyAnswer(key, text),
        };
      });
      return sendCommitted(reply, committed);
    },
  );
}

const Revoked = Type.Object({ id: Type.String(), object: Type.Literal('api_key'), revoked: Type.Literal(true) });

const DEFAULT_PERMISSIONS = { secret: ['*'], public: ['content:read'] } as const;

function requirePublic(permissions: readonly Permission[]): void {
  const wrong = permissions.findIndex((permission) => !PERMISSIONS[permission].public);
  if (wrong === -1) return;
  const may = Object.entries(PERMISSIONS).filter(([, row]) => row.public);
  throw fail('invalid_request', `A public key may hold only ${may.map(([name]) => name).join(', ')}.`, {
    param: `permissions[${wrong}]`,
  });
}

/** No key can hand out what it does not hold. */
function requireHeld(caller: Caller, permissions: readonly Permission[]): void {
  const wrong = permissions.find((permission) => !holdsPermission(caller.permissions, permission));
  if (wrong === undefined) return;
  throw fail('insufficient_permissions', `This API key cannot grant ${wrong}, because it does not hold it.`);
}

/** Whether the revocation must be guarded. Throws last_admin_key when nobody could manage keys afterwards. */
async function requireOtherAdmin(db: Db, key: Key): Promise<boolean> {
  if (!isAdmin(key)) return false;
  if (await hasOtherAdmin(db, key.id)) return true;
  throw fail(
    'last_admin_key',
    'This is the last key that can manage keys for good. Create another with api_keys:manage or * first.',
  );
}

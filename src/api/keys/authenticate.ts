/**
 * Finds the caller of a request: waits until the node knows all changes, checks form and checksum of the key, then the
 * cached key (forgotten on change), then expiry and source address. A revocation or expiry applies from the next
 * request on this node.
 */
import type { FastifyRequest } from 'fastify';
import type { Db, Step } from '../../db/db.ts';
import { Cache } from '../../lib/cache/cache.ts';
import { type Clock, toIso } from '../../lib/clock.ts';
import { type End, findEnd, hashCredential } from '../../lib/credential.ts';
import { findOrigin, forwardedBy, type Origin } from '../../lib/forwarded.ts';
import { contains, parseAddress, parseRange, type Range } from '../../lib/ip-range.ts';
import type { Changes } from '../changes/changes.ts';
import { type Failure, fail } from '../errors.ts';
import type { Authenticate, Authorize, Needs } from '../http/auth.ts';
import { type Caller, holdsPermission, type Permission, permissionsOfKey } from '../permissions.ts';
import { isKeyText, type Key } from './key.ts';
import { findKey, findKeyByHash, touchKey } from './store.ts';
import { type UnreadableAddresses, type UnreadableReport, watchUnreadable } from './unreadable.ts';

const KEYS_MAX = 10_000;

interface Known extends Caller {
  key: Key;
  ranges: Range[];
}

export interface Keys {
  authenticate: Authenticate;
  /** Authenticates a key that was not sent in the header. */
  authenticateText(text: string, request: FastifyRequest): Promise<Caller>;
  /** Authenticates by the id of a key, which is read again: for sessions, which proved earlier to hold the key. */
  authenticateId(keyId: string, credential: string, request: FastifyRequest): Promise<Caller>;
  authorize: Authorize;
  /** Returns the address of the request's sender, see `sourceOf`; null for one that cannot be read. */
  source(request: FastifyRequest): string | null;
  /** Returns the address of the visitor for whom a proxy asks, from what the proxy forwards. */
  visitor(request: FastifyRequest): Origin;
  /** Addresses that trusted proxies sent and that cannot be read. */
  unreadable: Pick<UnreadableAddresses, 'figures'>;
  /** Returns the key's last use where the store may not have it yet. */
  lastUsedAt(keyId: string): number | null;
  /** Writes the last uses. */
  close(): Promise<void>;
}

export interface KeysOptions {
  /** undefined: this node knows all changes, of keys and of everything else. Otherwise a request waits for it. */
  confirm(): Promise<void> | undefined;
  trustedProxies: readonly Range[];
  /** Chosen by the operator, so it may lack our checksum. */
  bootstrapKey: string | null;
  /** Receives addresses that cannot be read, at most once an hour. */
  onUnreadable(report: UnreadableReport): void;
}

export function openKeys(db: Db, changes: Changes, clock: Clock, options: KeysOptions): Keys {
  const { confirm, trustedProxies, bootstrapKey, onUnreadable } = options;
  const unreadable = watchUnreadable(clock, onUnreadable);
  const counted = (origin: Origin): Origin => {
    if (origin !== undefined && 'unreadable' in origin) unreadable.add(origin.unreadable);
    return origin;
  };
  // By the whole header: a cached key is found without hashing it again.
  const known = changes.known('keys', new Cache<string, Known>(KEYS_MAX));
  const lastUses = openLastUses(db, touchKey);

  const load = (header: string | undefined): Promise<Known> =>
    known.read(async (keep) => {
      const text = parseHeader(header, bootstrapKey);
      const key = await findKeyByHash(db, hashCredential(text));
      if (key === undefined) {
        throw fail('invalid_api_key', 'This API key does not exist. Check that it was copied whole.');
      }
      const found = toKnown(key, text);
      keep(header as string, found);
      return found;
    });

  function admit(found: Known, request: FastifyRequest): Caller {
    const now = clock.now();
    const end = findEnd(found.key, now);
    if (end !== undefined) throw ended(end);
    if (found.ranges.length > 0) requireAddress(found.ranges, counted(findSource(request, trustedProxies)));
    lastUses.set(found.key.id, now);
    return found;
  }

  return {
    authenticate(request, credentials) {
      const freshness = confirm();
      const found = freshness === undefined ? known.get(credentials ?? '') : undefined;
      if (found !== undefined) return admit(found, request);
      return Promise.resolve(freshness)
        .then(() => known.get(credentials ?? '') ?? load(credentials))
        .then((loaded) => admit(loaded, request));
    },
    authenticateText: async (text, request) => admit(await load(`Bearer ${text}`), request),
    async authenticateId(keyId, credential, request) {
      const key = await findKey(db, keyId);
      if (key === undefined) throw fail('invalid_api_key', 'The API key of this session was revoked.');
      return admit(toKnown(key, credential), request);
    },
    authorize,
    source(request) {
      const origin = counted(findSource(request, trustedProxies));
      return origin !== undefined && 'address' in origin ? origin.address : null;
    },
    visitor: (request) => counted(findVisitorOrigin(request, trustedProxies)),
    unreadable,
    lastUsedAt: (keyId) => lastUses.get(keyId),
    close: () => lastUses.close(),
  };
}

function authorize(caller: Caller, needs: Needs): void {
  for (const permission of needs.permissions) {
    if (!holdsPermission(caller.permissions, permission)) throw lacking(caller, permission, needs);
  }
  if (needs.secretKey && caller.readOnly) throw notReadOnly(caller, needs);
}

function ended({ how, at }: End): Failure {
  const what = how === 'revoked' ? 'was revoked' : 'expired';
  return fail('invalid_api_key', `This API key ${what} at ${toIso(at)}. Use another one.`);
}

function lacking({ role }: Caller, permission: Permission, { permissions }: Needs): Failure {
  const all = permissions.length === 1 ? '' : ` This request needs ${permissions.join(' and ')}.`;
  const who = role === undefined ? 'This API key' : `The role ${role}`;
  return fail('insufficient_permissions', `${who} does not hold the permission ${permission}.${all}`);
}

function notReadOnly({ role }: Caller, { permissions }: Needs): Failure {
  const advice = `Send a secret key that holds ${permissions.join(' and ')}.`;
  const whose = role === undefined ? 'public keys' : `the role ${role}`;
  return fail('insufficient_permissions', `This request is not for ${whose}. ${advice}`);
}

const toKnown = (key: Key, credential: string): Known => ({
  keyId: key.id,
  credential,
  permissions: permissionsOfKey(key.permissions),
  readOnly: key.type === 'public',
  mode: key.mode,
  key,
  ranges: key.allowedIps.map(parseRange).filter((range): range is Range => range !== undefined),
});

function parseHeader(header: string | undefined, bootstrapKey: string | null): string {
  const text = /^bearer +(\S.*)$/i.exec(header ?? '')?.[1]?.trimEnd();
  if (text === undefined) {
    throw fail(
      'missing_api_key',
      'Send an API key in the header `Authorization: Bearer svc_sk_…`; proxies that ask /v1/authorize in `X-Postern-Key`.',
    );
  }
  if (!isKeyText(text) && text !== bootstrapKey) {
    const isToken = text.startsWith('svc_rt_');
    throw fail(
      'invalid_api_key',
      isToken
        ? 'This is the token of a requester, which works at /v1/me only. Send an API key.'
        : 'This is not an API key: its form or checksum is wrong. Check that it was copied whole.',
    );
  }
  return text;
}

function requireAddress(ranges: readonly Range[], origin: Origin): void {
  if (origin === undefined) {
    throw fail('ip_not_allowed', 'This API key has `allowedIps`, and this connection has no address.');
  }
  if ('unreadable' in origin) {
    const sent = JSON.stringify(origin.unreadable);
    const advice = 'Configure the proxy to send the address alone, such as 203.0.113.9.';
    throw fail(
      'ip_not_allowed',
      `This API key has \`allowedIps\`, and a trusted proxy sent ${sent}, which is no address. ${advice}`,
    );
  }
  const address = parseAddress(origin.address);
  if (address !== undefined && ranges.some((range) => contains(range, address))) return;
  throw fail('ip_not_allowed', `This API key may not be used from ${origin.address}.`);
}

const WRITE_EVERY_MS = 1_000;

/** The time of the last use of each key, or other credential. */
export interface LastUses {
  set(id: string, at: number): void;
  /** Returns the last use where the store may not have it yet. */
  get(id: string): number | null;
  /** Writes what is not written yet. */
  close(): Promise<void>;
}

/** Remembers last uses and writes them every second; `touch` stores one. */
export function openLastUses(db: Db, touch: (id: string, at: number) => Step): LastUses {
  const used = new Map<string, number>();
  let written: ReadonlyMap<string, number> = new Map();

  async function write(): Promise<void> {
    if (used.size === 0) return;
    const uses = [...used];
    await db.atomic(uses.map(([id, at]) => touch(id, at)));
    for (const [id, at] of uses) if (used.get(id) === at) used.delete(id);
    // A key that was read just before this write still needs its last use.
    written = new Map(uses);
  }
  // After a failed write, the key's next use replaces it anyway.
  const timer = setInterval(() => void write().catch(() => {}), WRITE_EVERY_MS);
  timer.unref();

  return {
    set: (id, at) => used.set(id, at),
    get: (id) => used.get(id) ?? written.get(id) ?? null,
    async close() {
      clearInterval(timer);
      await write().catch(() => {});
    },
  };
}

/**
 * Returns the socket's address or, if the peer is a trusted proxy, the first address from the right that is not one in
 * what it forwards; undefined for a connection that has no address, or is closed.
 */
function findSource(request: FastifyRequest, trusted: readonly Range[]): Origin {
  const peer = request.socket.remoteAddress;
  if (peer === undefined) return undefined;
  const entries = trusted.length === 0 ? [] : forwardedBy(request.headers);
  return findOrigin([...entries, peer], trusted);
}

/** Walks in the same way without the peer, whose key makes what it forwards trusted. */
const findVisitorOrigin = ({ headers }: FastifyRequest, trusted: readonly Range[]): Origin =>
  findOrigin(forwardedBy(headers), trusted);

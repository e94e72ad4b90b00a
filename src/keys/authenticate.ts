/**
 * From a request to its caller: form and checksum, then the key in memory (read through, forgotten on change), then expiry
 * and source address. A revocation or expiry acts on the next request of this node.
 */
import type { FastifyRequest } from 'fastify';
import type { Changes } from '../changes/changes.ts';
import type { Db } from '../db/db.ts';
import { fail } from '../errors.ts';
import type { Authenticate, Caller } from '../http/auth.ts';
import type { Clock } from '../lib/clock.ts';
import { toIso } from '../lib/clock.ts';
import { contains, formatAddress, parseAddress, parseRange, type Range } from '../lib/ip-range.ts';
import { Lru } from '../lib/lru.ts';
import { holdsPermission, type Permission } from '../permissions.ts';
import { hashOfKey, isKeyText, type Key } from './key.ts';
import { findKey, findKeyByHash, touchKey } from './store.ts';

const KEYS_MAX = 10_000;
const TOUCH_EVERY_MS = 1_000;

interface Known extends Caller {
  key: Key;
  ranges: Range[];
}

export interface Keys {
  authenticate: Authenticate;
  /** As `authenticate`, of a key that came otherwise than in the header. */
  authenticateText(text: string, request: FastifyRequest): Promise<Caller>;
  /** As `authenticate`, of a key by its id, read afresh: for who proved earlier to hold it. */
  authenticateId(keyId: string, credential: string, request: FastifyRequest): Promise<Caller>;
  authorize(caller: Caller, permission: Permission): void;
  /** The address a request came from; see `sourceOf`. */
  source(request: FastifyRequest): string;
  /** Of a caller that asks for somebody else: whom it forwards for, if it says so in X-Forwarded-For. */
  visitor(request: FastifyRequest): string | undefined;
  /** When the key was last used, if that is later than what is stored. */
  lastUsedAt(keyId: string): number | null;
  /** Writes down the last uses. */
  close(): Promise<void>;
}

export interface KeysOptions {
  trustedProxies: readonly Range[];
  /** Chosen by the operator, so it need not have our checksum. */
  bootstrapKey: string | null;
}

export function openKeys(db: Db, changes: Changes, clock: Clock, { trustedProxies, bootstrapKey }: KeysOptions): Keys {
  // By the header as it was sent: a key in memory is found without hashing it again.
  const known = new Lru<string, Known>(KEYS_MAX);
  // A key read while a change was on its way may be of yesterday: it is used once and not remembered.
  let epoch = 0;
  const used = new Map<string, number>();
  let recent: ReadonlyMap<string, number> = new Map();
  changes.subscribe((change) => {
    if (!change.kind.startsWith('api_key.')) return;
    epoch++;
    known.clear();
  });

  const touch = async (): Promise<void> => {
    if (used.size === 0) return;
    const written = [...used];
    await db.atomic(written.map(([id, at]) => touchKey(id, at)));
    for (const [id, at] of written) if (used.get(id) === at) used.delete(id);
    // Who read the key just before this was written is still told.
    recent = new Map(written);
  };
  // A last use that could not be written is lost; the next one says more anyway.
  const timer = setInterval(() => void touch().catch(() => {}), TOUCH_EVERY_MS);
  timer.unref();

  async function load(header: string | undefined): Promise<Known> {
    const text = keyIn(header, bootstrapKey);
    const before = epoch;
    const key = await findKeyByHash(db, hashOfKey(text));
    if (key === undefined)
      throw fail('invalid_api_key', 'This API key does not exist. Check that it was copied whole.');
    const found = knownOf(key, text);
    if (before === epoch) known.set(header as string, found);
    return found;
  }

  function admit(found: Known, request: FastifyRequest): Caller {
    const { key } = found;
    const now = clock.now();
    if (key.revokedAt !== null && key.revokedAt <= now) {
      throw fail('invalid_api_key', `This API key was revoked at ${toIso(key.revokedAt)}. Use another one.`);
    }
    if (key.expiresAt !== null && now >= key.expiresAt) {
      throw fail('invalid_api_key', `This API key expired at ${toIso(key.expiresAt)}. Use another one.`);
    }
    if (found.ranges.length > 0) requireAddress(found.ranges, request.source());
    used.set(key.id, now);
    return found;
  }

  return {
    authenticate(request, credentials) {
      const found = known.get(credentials ?? '');
      return found === undefined ? load(credentials).then((loaded) => admit(loaded, request)) : admit(found, request);
    },
    authenticateText: async (text, request) => admit(await load(`Bearer ${text}`), request),
    async authenticateId(keyId, credential, request) {
      const key = await findKey(db, keyId);
      if (key === undefined) throw fail('invalid_api_key', 'The API key of this session was revoked.');
      return admit(knownOf(key, credential), request);
    },
    authorize(caller, permission) {
      if (holdsPermission(caller.permissions, permission)) return;
      throw fail('insufficient_permissions', `This API key does not hold the permission ${permission}.`);
    },
    source: (request) => sourceOf(request, trustedProxies),
    visitor: (request) => visitorOf(request, trustedProxies),
    lastUsedAt: (keyId) => used.get(keyId) ?? recent.get(keyId) ?? null,
    async close() {
      clearInterval(timer);
      await touch().catch(() => {});
    },
  };
}

const knownOf = (key: Key, credential: string): Known => ({
  keyId: key.id,
  credential,
  permissions: new Set(key.permissions),
  readOnly: key.type === 'public',
  key,
  ranges: key.allowedIps.map(parseRange).filter((range): range is Range => range !== undefined),
});

function keyIn(header: string | undefined, bootstrapKey: string | null): string {
  const text = /^bearer +(\S.*)$/i.exec(header ?? '')?.[1]?.trimEnd();
  if (text === undefined) {
    throw fail(
      'missing_api_key',
      'Send an API key in the header `Authorization: Bearer svc_sk_…`; proxies that ask /v1/authorize in `X-Postern-Key`.',
    );
  }
  if (!isKeyText(text) && text !== bootstrapKey) {
    throw fail(
      'invalid_api_key',
      'This is not an API key: its form or checksum is wrong. Check that it was copied whole.',
    );
  }
  return text;
}

function requireAddress(ranges: readonly Range[], source: string): void {
  const address = parseAddress(source);
  if (address !== undefined && ranges.some((range) => contains(range, address))) return;
  throw fail('ip_not_allowed', `This API key may not be used from ${source}.`);
}

/**
 * The address a request came from: the socket's, unless the peer is a trusted proxy; then X-Forwarded-For from the right,
 * past further trusted proxies. What is no address stops the walk: it cannot be vouched for.
 */
function sourceOf(request: FastifyRequest, trusted: readonly Range[]): string {
  const peer = request.socket.remoteAddress ?? '';
  const hops = trusted.length === 0 ? [] : hopsOf(request);
  return formatAddress(lastHop([...hops, peer], trusted));
}

/** The same walk without the peer: it asks with a key, and is believed about who asked it. */
function visitorOf(request: FastifyRequest, trusted: readonly Range[]): string | undefined {
  const hop = lastHop(hopsOf(request), trusted);
  return parseAddress(hop) === undefined ? undefined : formatAddress(hop);
}

function hopsOf({ headers }: FastifyRequest): string[] {
  const forwarded = [headers['x-forwarded-for'] ?? []].flat().join(',');
  return forwarded === '' ? [] : forwarded.split(',').map((hop) => hop.trim());
}

function lastHop(hops: string[], trusted: readonly Range[]): string {
  const isTrusted = (text: string): boolean => {
    const address = parseAddress(text);
    return address !== undefined && trusted.some((range) => contains(range, address));
  };
  let hop = hops.pop() ?? '';
  while (hops.length > 0 && isTrusted(hop)) hop = hops.pop() as string;
  return hop;
}

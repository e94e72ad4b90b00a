/**
 * Limits what a key may do to other keys. Promise: no key creates one that can do more than itself, from more addresses
 * or for longer, and no key ends one that can do more.
 */
import { fail } from '../errors.ts';
import { toIso } from '../lib/clock.ts';
import { covers, parseRange, type Range } from '../lib/ip-range.ts';
import { holdsPermission, type Permission, permissionsOfKey } from '../permissions.ts';
import type { Key } from './key.ts';

type Grant = Pick<Key, 'permissions' | 'allowedIps' | 'expiresAt'>;

/** Throws insufficient_permissions when `wanted` exceeds `maker`. */
export function requireMayGrant(maker: Grant, wanted: Grant): void {
  const lacking = findLacking(maker, wanted);
  if (lacking !== undefined) {
    throw fail('insufficient_permissions', `This API key cannot grant ${lacking}, because it does not hold it.`);
  }
  if (!isWithin(maker.allowedIps, wanted.allowedIps)) {
    throw fail(
      'insufficient_permissions',
      'This API key may be used from its `allowedIps` only. A key it creates needs `allowedIps` within those.',
      { param: 'allowedIps' },
    );
  }
  if (maker.expiresAt !== null && (wanted.expiresAt === null || wanted.expiresAt > maker.expiresAt)) {
    throw fail(
      'insufficient_permissions',
      `This API key expires at ${toIso(maker.expiresAt)}. A key it creates needs an \`expiresAt\` no later than that.`,
      { param: 'expiresAt' },
    );
  }
}

/** Throws insufficient_permissions when `key` holds what `caller` does not. */
export function requireMayEnd(caller: Grant, key: Grant): void {
  const lacking = findLacking(caller, key);
  if (lacking === undefined) return;
  throw fail(
    'insufficient_permissions',
    `This API key cannot revoke or rotate a key that holds ${lacking}, because it does not hold it.`,
  );
}

function findLacking({ permissions }: Grant, wanted: Grant): Permission | undefined {
  const held = permissionsOfKey(permissions);
  return wanted.permissions.find((permission) => !holdsPermission(held, permission));
}

/** An empty list allows any address. */
function isWithin(outer: readonly string[], inner: readonly string[]): boolean {
  if (outer.length === 0) return true;
  const ranges = parseRanges(outer);
  return inner.length > 0 && parseRanges(inner).every((range) => covers(ranges, range));
}

const parseRanges = (texts: readonly string[]): Range[] => texts.flatMap((text) => parseRange(text) ?? []);

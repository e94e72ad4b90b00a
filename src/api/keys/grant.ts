/**
 * Limits what a caller may do to keys and users. Promise: a caller cannot create a key or a user with more access than
 * its own, from more addresses or for longer, and cannot end one with more access.
 */
import type { Step } from '../../db/db.ts';
import { toIso } from '../../lib/clock.ts';
import { covers, parseRange, type Range } from '../../lib/ip-range.ts';
import { fail } from '../errors.ts';
import { holdsPermission, type Permission, permissionsOfKey } from '../permissions.ts';
import type { Key } from './key.ts';

export type Grant = Pick<Key, 'allowedIps' | 'expiresAt'> & { permissions: readonly Permission[] };

/** The key or the user that makes a request, read again: it may have ended since the request was admitted. */
export interface Holder extends Grant {
  /** A Conflict when the holder changed since it was read. */
  unchanged: Step;
}

/** Finds the holder of a caller's id. Throws invalid_api_key when it has ended. */
export type FindHolder = (callerId: string) => Promise<Holder>;

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

/** Throws insufficient_permissions when `other` holds what `caller` does not. `act` is a verb with its object. */
export function requireMayEnd(caller: Grant, other: Grant, act = 'revoke or rotate a key'): void {
  const lacking = findLacking(caller, other);
  if (lacking === undefined) return;
  throw fail(
    'insufficient_permissions',
    `This API key cannot ${act} that holds ${lacking}, because it does not hold it.`,
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

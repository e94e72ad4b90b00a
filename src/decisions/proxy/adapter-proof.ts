/**
 * Proves to an adapter at the edge that an operator asks for its status. Promise: a caller gets proofs for keys that it
 * holds or manages alone, each for one host and some minutes.
 */
import { createHmac } from 'node:crypto';
import { findAskingHashes } from '../../api/keys/store.ts';
import { type Caller, holdsPermission } from '../../api/permissions.ts';
import type { Db } from '../../db/db.ts';

/** Adapters read no more. */
const CODES_MAX = 16;

/** Returns the time in seconds and a code for each key, with dots between: adapters verify it without Postern. */
export async function proveToAdapter(db: Db, caller: Caller, host: string, now: number): Promise<string> {
  const only = holdsPermission(caller.permissions, 'api_keys:manage') ? null : caller.keyId;
  const seconds = String(Math.floor(now / 1000));
  const said = `postern-status ${host.toLowerCase()} ${seconds}`;
  const hashes = await findAskingHashes(db, now, CODES_MAX, only);
  const codes = hashes.map((hash) => createHmac('sha256', Buffer.from(hash, 'base64url')).update(said).digest('hex'));
  return [seconds, ...codes].join('.');
}

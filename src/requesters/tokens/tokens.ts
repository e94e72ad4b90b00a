/**
 * Finds the requester of a presented token: checks form and checksum, then the cached token (forgotten on change), then
 * expiry. A revocation or expiry applies from the next request on this node, as those of API keys do.
 */
import type { Changes } from '../../api/changes/changes.ts';
import { openLastUses } from '../../api/keys/authenticate.ts';
import type { Db } from '../../db/db.ts';
import { Cache } from '../../lib/cache/cache.ts';
import type { Clock } from '../../lib/clock.ts';
import { findEnd, hashCredential } from '../../lib/credential.ts';
import { findTokenByHash, touchToken } from './store.ts';
import { isTokenText, type RequesterToken } from './token.ts';

const TOKENS_MAX = 10_000;

/** Why a token proves nothing. */
export type TokenFault = 'malformed' | 'unknown' | 'revoked' | 'expired';

/** `until`: the token's end, epoch ms. */
export type Presented = { requesterId: string; tokenId: string; until: number | null } | { fault: TokenFault };

export interface Tokens {
  /** Returns the requester of a token; a promise only where the token is not in memory. Throws Unavailable. */
  resolve(text: string): Presented | Promise<Presented>;
  /** Returns the token's last use where the store may not have it yet. */
  lastUsedAt(tokenId: string): number | null;
  /** Writes the last uses. */
  close(): Promise<void>;
}

export function openTokens(db: Db, changes: Changes, clock: Clock): Tokens {
  // Only tokens that exist are kept, so made-up tokens evict none of them.
  const known = changes.known('tokens', new Cache<string, RequesterToken>(TOKENS_MAX));
  const lastUses = openLastUses(db, touchToken);

  const load = (text: string): Promise<Presented> =>
    known.read(async (keep) => {
      const token = await findTokenByHash(db, hashCredential(text));
      if (token === undefined) return { fault: 'unknown' };
      keep(text, token);
      return admit(token);
    });

  function admit(token: RequesterToken): Presented {
    const now = clock.now();
    const end = findEnd(token, now);
    if (end !== undefined) return { fault: end.how };
    lastUses.set(token.id, now);
    return { requesterId: token.requesterId, tokenId: token.id, until: token.expiresAt };
  }

  return {
    resolve(text) {
      const found = known.get(text);
      if (found !== undefined) return admit(found);
      return isTokenText(text) ? load(text) : { fault: 'malformed' };
    },
    lastUsedAt: (tokenId) => lastUses.get(tokenId),
    close: () => lastUses.close(),
  };
}

/**
 * License tokens: a requester may use one license at one place, for minutes. Promise: only the key that signs is
 * believed, by its id and its algorithm; a token ends with the token of the requester that it was got with, from the
 * next request on this node, and within a second on others. Its license is looked at by the check.
 */
import type { Changes } from '../../api/changes/changes.ts';
import type { Db } from '../../db/db.ts';
import { Cache } from '../../lib/cache/cache.ts';
import { findEnd } from '../../lib/credential.ts';
import { newId } from '../../lib/id.ts';
import { findToken } from '../tokens/store.ts';
import type { RequesterToken } from '../tokens/token.ts';
import { parseAudience, type TokenAudience } from './audience.ts';
import { openJwt, signJwt } from './jwt.ts';
import { openSigningKeys, type SigningKeys, TOKEN_MS } from './keys.ts';

const KNOWN_MAX = 10_000;
/** Twice as long as the longest that is made. */
const LENGTH_MAX = 2048;

export interface TokenGrant {
  requesterId: string;
  /** The token of the requester that it is got with. */
  tokenId: string;
  licenseId: string;
  /** A URL: the token holds for it and for what is below. */
  audience: string;
}

export interface LicenseToken extends TokenGrant {
  covered: TokenAudience;
  issuedAt: number;
  expiresAt: number;
}

export interface LicenseTokens {
  readonly keys: SigningKeys;
  /** The address of the license server; null: there is none. */
  readonly server: string | null;
  /** `until`: the end of the license or of the requester's token, epoch ms. Throws Unavailable. */
  issue(grant: TokenGrant, until: number | null): Promise<{ token: string; expiresIn: number }>;
  /** Returns undefined for a token that proves nothing; a promise where it is not in memory. Throws Unavailable. */
  resolve(text: string): LicenseToken | undefined | Promise<LicenseToken | undefined>;
}

export interface LicenseTokenDeps {
  db: Db;
  changes: Changes;
  clock: { now(): number };
  /** The address under which everybody reaches this service; null: License tokens are off. */
  publicUrl: string | null;
}

interface Known {
  token: LicenseToken;
  source: RequesterToken;
}

export function openLicenseTokens({ db, changes, clock, publicUrl }: LicenseTokenDeps): LicenseTokens {
  const now = () => clock.now();
  const keys = openSigningKeys(db, changes, now);
  const known = changes.known('licenseTokens', new Cache<string, Known>(KNOWN_MAX));
  // A client gets its next token with the same one of its requester.
  const sources = changes.known('licenseTokens', new Cache<string, RequesterToken>(KNOWN_MAX));

  const findSource = async (requesterId: string, tokenId: string): Promise<RequesterToken | undefined> =>
    sources.get(tokenId) ??
    sources.read(async (keep) => {
      const source = await findToken(db, requesterId, tokenId);
      if (source !== undefined) keep(tokenId, source);
      return source;
    });

  const server = publicUrl === null ? null : `${publicUrl}/olp`;

  const admit = ({ token, source }: Known): LicenseToken | undefined =>
    now() < token.expiresAt && findEnd(source, now()) === undefined ? token : undefined;

  const load = (text: string, issuer: string): Promise<LicenseToken | undefined> =>
    known.read(async (keep) => {
      const token = toToken(await openJwt(text, keys.verifier), issuer);
      if (token === undefined || token.expiresAt <= now()) return undefined;
      const source = await findSource(token.requesterId, token.tokenId);
      if (source === undefined) return undefined;
      keep(text, { token, source });
      return admit({ token, source });
    });

  return {
    keys,
    server,
    issue: ({ requesterId, tokenId, licenseId, audience }, until) =>
      known.read(async (keep) => {
        const [signer, source] = await Promise.all([keys.signer(), findSource(requesterId, tokenId)]);
        const issued = Math.floor(now() / 1000);
        const expires = Math.floor(Math.min(now() + TOKEN_MS, until ?? Infinity) / 1000);
        const claims = {
          iss: server,
          sub: requesterId,
          aud: audience,
          license_id: licenseId,
          token_id: tokenId,
          jti: newId('olp_', now()),
          iat: issued,
          exp: expires,
        };
        const text = signJwt(claims, signer);
        // Verifying takes longer than a whole check, and most tokens are used where they were issued.
        const token = toToken(claims, server as string);
        if (token !== undefined && source !== undefined) keep(text, { token, source });
        return { token: text, expiresIn: expires - issued };
      }),
    resolve(text) {
      const found = known.get(text);
      if (found !== undefined) return admit(found);
      return server !== null && text.length <= LENGTH_MAX ? load(text, server) : undefined;
    },
  };
}

/** Returns undefined for claims that another server or another version made. */
function toToken(claims: Readonly<Record<string, unknown>> = {}, issuer: string): LicenseToken | undefined {
  const { iss, sub, aud, exp, iat, license_id: licenseId, token_id: tokenId } = claims;
  if (iss !== issuer || typeof sub !== 'string' || typeof aud !== 'string') return undefined;
  if (typeof licenseId !== 'string' || typeof tokenId !== 'string') return undefined;
  const covered = parseAudience(aud);
  if (covered === undefined || typeof exp !== 'number' || typeof iat !== 'number') return undefined;
  const times = { issuedAt: iat * 1000, expiresAt: exp * 1000 };
  return { requesterId: sub, tokenId, licenseId, audience: aud, covered, ...times };
}

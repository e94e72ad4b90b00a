/**
 * License tokens: a requester may use one license at one place, for minutes. Promise: only the key that signs is
 * believed, by its id and its algorithm; a token ends with the token of the requester that it was got with, from the
 * next request on this node, and within a second on others. Its license is looked at by the check.
 */
import type { JWTPayload } from 'jose';
import type { Changes } from '../../api/changes/changes.ts';
import type { Db } from '../../db/db.ts';
import { Cache } from '../../lib/cache/cache.ts';
import { findEnd } from '../../lib/credential.ts';
import { newId } from '../../lib/id.ts';
import { findToken } from '../tokens/store.ts';
import type { RequesterToken } from '../tokens/token.ts';
import { parseAudience, type TokenAudience } from './audience.ts';
import { ALGORITHM, openSigningKeys, type SigningKeys, TOKEN_MS } from './keys.ts';

const KNOWN_MAX = 10_000;
/** Twice as long as the longest that is made. */
const LENGTH_MAX = 2048;
const FORM = /^[\w-]+\.[\w-]+\.[\w-]+$/;

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

  const findSource = (requesterId: string, tokenId: string): Promise<RequesterToken | undefined> =>
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
      const token = await verify(text, { keys, issuer, now: now() });
      const source = token && (sources.get(token.tokenId) ?? (await findSource(token.requesterId, token.tokenId)));
      if (token === undefined || source === undefined) return undefined;
      keep(text, { token, source });
      return admit({ token, source });
    });

  return {
    keys,
    server,
    async issue({ requesterId, tokenId, licenseId, audience }, until) {
      const [{ SignJWT }, { kid, key }] = await Promise.all([import('jose'), keys.signer()]);
      const issued = Math.floor(now() / 1000);
      const expires = Math.floor(Math.min(now() + TOKEN_MS, until ?? Infinity) / 1000);
      const token = await new SignJWT({ license_id: licenseId, token_id: tokenId })
        .setProtectedHeader({ alg: ALGORITHM, kid, typ: 'JWT' })
        .setIssuer(server as string)
        .setSubject(requesterId)
        .setAudience(audience)
        .setJti(newId('olp_', now()))
        .setIssuedAt(issued)
        .setExpirationTime(expires)
        .sign(key);
      return { token, expiresIn: expires - issued };
    },
    resolve(text) {
      const found = known.get(text);
      if (found !== undefined) return admit(found);
      return server !== null && text.length <= LENGTH_MAX && FORM.test(text) ? load(text, server) : undefined;
    },
  };
}

/** The key of the header's id must be one of ours, and the algorithm ours: the header chooses neither. */
async function verify(
  text: string,
  { keys, issuer, now }: { keys: SigningKeys; issuer: string; now: number },
): Promise<LicenseToken | undefined> {
  const { errors, jwtVerify } = await import('jose');
  try {
    const { payload } = await jwtVerify(
      text,
      async ({ kid }) => {
        const key = await keys.verifier(kid);
        if (key === undefined) throw new errors.JWKSNoMatchingKey();
        return key;
      },
      { algorithms: [ALGORITHM], issuer, typ: 'JWT', currentDate: new Date(now), requiredClaims: ['exp', 'iat'] },
    );
    return toToken(payload);
  } catch (error) {
    if (error instanceof errors.JOSEError) return undefined;
    throw error;
  }
}

function toToken({ sub, aud, exp, iat, license_id: licenseId, token_id: tokenId }: JWTPayload) {
  const covered = typeof aud === 'string' ? parseAudience(aud) : undefined;
  if (typeof sub !== 'string' || typeof licenseId !== 'string' || typeof tokenId !== 'string') return undefined;
  if (covered === undefined || exp === undefined || iat === undefined) return undefined;
  const token: LicenseToken = {
    requesterId: sub,
    tokenId,
    licenseId,
    audience: aud as string,
    covered,
    issuedAt: iat * 1000,
    expiresAt: exp * 1000,
  };
  return token;
}

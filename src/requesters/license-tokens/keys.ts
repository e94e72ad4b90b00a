/**
 * The keys that sign License tokens. They are in the records, so every node signs with the same one, and backups have
 * them. Promise: a private key is in no answer, change or log.
 */
import type { CryptoKey } from 'jose';
import type { Changes } from '../../api/changes/changes.ts';
import type { Db } from '../../db/db.ts';
import { Whole } from '../../lib/cache/whole.ts';
import { insertFirstKeys, readKeys, type SigningKey } from './store.ts';

export const ALGORITHM = 'ES256';
/** The longest life of a token, and the time for which a new key is published before it signs: both in ms. */
export const TOKEN_MS = 10 * 60_000;
const NOTICE_MS = 10 * 60_000;

/** A key as everybody may see it. */
export interface PublicKey {
  kid: string;
  kty: string;
  crv: string;
  x: string;
  y: string;
  alg: typeof ALGORITHM;
  use: 'sig';
}

export interface Signer {
  kid: string;
  key: CryptoKey;
}

export interface SigningKeys {
  /** Returns the keys that verify tokens now. Throws Unavailable. */
  published(): Promise<readonly PublicKey[]>;
  /** Returns the key that signs now. Throws Unavailable. */
  signer(): Promise<Signer>;
  /** Returns the public key of that id; undefined: it does not verify now. Throws Unavailable. */
  verifier(kid: string | undefined): Promise<CryptoKey | undefined>;
}

interface Imported extends SigningKey {
  signing: CryptoKey;
  verifying: CryptoKey;
}

export function openSigningKeys(db: Db, changes: Changes, now: () => number): SigningKeys {
  const known = changes.known('signingKeys', new Whole(() => load(db, now())));
  const publishedNow = async (): Promise<readonly Imported[]> => inForce(await known.read(), now());
  return {
    published: async () => (await publishedNow()).map(toPublic),
    async signer() {
      const { kid, signing } = signerAt(await known.read(), now());
      return { kid, key: signing };
    },
    verifier: async (kid) => (await publishedNow()).find((one) => one.kid === kid)?.verifying,
  };
}

/** The first use makes the first key. Other nodes may be making one too: the first that is stored is everybody's. */
async function load(db: Db, now: number): Promise<Imported[]> {
  const stored = await readKeys(db);
  if (stored === undefined) {
    await db.atomic([insertFirstKeys([await makeKey(now, now)])]);
    return load(db, now);
  }
  return Promise.all(stored.map(importKey));
}

export async function makeKey(createdAt: number, signsFrom: number): Promise<SigningKey> {
  const { calculateJwkThumbprint, exportJWK, generateKeyPair } = await import('jose');
  const { privateKey } = await generateKeyPair(ALGORITHM, { extractable: true });
  const jwk = await exportJWK(privateKey);
  return { kid: await calculateJwkThumbprint(jwk), jwk, createdAt, signsFrom };
}

async function importKey(stored: SigningKey): Promise<Imported> {
  const { importJWK } = await import('jose');
  const { d: _, ...open } = stored.jwk;
  return {
    ...stored,
    signing: (await importJWK(stored.jwk, ALGORITHM)) as CryptoKey,
    verifying: (await importJWK(open, ALGORITHM)) as CryptoKey,
  };
}

export function toPublic({ kid, jwk: { kty, crv = '', x = '', y = '' } }: SigningKey): PublicKey {
  return { kid, kty: kty as string, crv, x, y, alg: ALGORITHM, use: 'sig' };
}

/** Keys are in the order in which they sign. */
function signerAt<K extends SigningKey>(keys: readonly K[], now: number): K {
  return keys.findLast(({ signsFrom }) => signsFrom <= now) ?? (keys[0] as K);
}

/** A key verifies until the last token that it signed has expired. */
export const inForce = <K extends SigningKey>(keys: readonly K[], now: number): K[] =>
  keys.filter((_, i) => {
    const next = keys[i + 1];
    return next === undefined || now < next.signsFrom + TOKEN_MS;
  });

/**
 * Returns the keys after a rotation. The new one is published before it signs, so that no reader who keeps the key set
 * meets a token of an unknown key. It takes the place of one that signs nothing yet, so there are never more than a
 * few. `atOnce`, where a key may have leaked, ends the others and all of their tokens.
 */
export async function rotateKeys(
  keys: readonly SigningKey[],
  { atOnce, now }: { atOnce: boolean; now: number },
): Promise<SigningKey[]> {
  if (atOnce) return [await makeKey(now, now)];
  const used = inForce(keys, now).filter(({ signsFrom }) => signsFrom <= now);
  return [...used, await makeKey(now, now + NOTICE_MS)];
}

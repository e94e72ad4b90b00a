/**
 * The keys that sign License tokens. They are in the records, so every node signs with the same one, and backups have
 * them. Promise: a private key is in no answer, change or log.
 */
import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import type { Changes } from '../../api/changes/changes.ts';
import type { Db } from '../../db/db.ts';
import { Whole } from '../../lib/cache/whole.ts';
import { ALGORITHM, toHead } from './jwt.ts';
import { insertFirstKeys, readKeys, type SigningKey } from './store.ts';

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

/** A key, and the header of the tokens that it signs. */
export interface Signer {
  head: string;
  key: KeyObject;
}

export interface SigningKeys {
  /** Returns the keys that verify tokens now. Throws Unavailable. */
  published(): Promise<readonly PublicKey[]>;
  /** Returns the key that signs now. Throws Unavailable. */
  signer(): Promise<Signer>;
  /** Returns the public key of tokens with a header; undefined: none verifies now. Throws Unavailable. */
  verifier(head: string): Promise<KeyObject | undefined>;
}

interface Imported extends SigningKey {
  head: string;
  signing: KeyObject;
  verifying: KeyObject;
}

export function openSigningKeys(db: Db, changes: Changes, now: () => number): SigningKeys {
  const known = changes.known('signingKeys', new Whole(() => load(db, now())));
  const publishedNow = async (): Promise<readonly Imported[]> => inForce(await known.read(), now());
  return {
    published: async () => (await publishedNow()).map(toPublic),
    async signer() {
      const { head, signing } = signerAt(await known.read(), now());
      return { head, key: signing };
    },
    verifier: async (head) => (await publishedNow()).find((one) => one.head === head)?.verifying,
  };
}

/** The first use makes the first key. Other nodes may be making one too: the first that is stored is everybody's. */
async function load(db: Db, now: number): Promise<Imported[]> {
  const stored = await readKeys(db);
  if (stored === undefined) {
    await db.atomic([insertFirstKeys([makeKey(now, now)])]);
    return load(db, now);
  }
  return stored.map(importKey);
}

export function makeKey(createdAt: number, signsFrom: number): SigningKey {
  const jwk = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' });
  return { kid: toThumbprint(jwk), jwk, createdAt, signsFrom };
}

/** RFC 7638: the required members in order. */
const toThumbprint = ({ crv, kty, x, y }: SigningKey['jwk']): string =>
  createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url');

function importKey(stored: SigningKey): Imported {
  const signing = createPrivateKey({ key: stored.jwk, format: 'jwk' });
  return { ...stored, head: toHead(stored.kid), signing, verifying: createPublicKey(signing) };
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
export function rotateKeys(
  keys: readonly SigningKey[],
  { atOnce, now }: { atOnce: boolean; now: number },
): SigningKey[] {
  if (atOnce) return [makeKey(now, now)];
  const used = inForce(keys, now).filter(({ signsFrom }) => signsFrom <= now);
  return [...used, makeKey(now, now + NOTICE_MS)];
}

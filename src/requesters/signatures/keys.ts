/** Reads the keys of an agent from a JWK Set. Pure. */
import { constants, createHash, createPublicKey, type KeyObject, verify } from 'node:crypto';

export type Algorithm = 'ed25519' | 'rsa-pss-sha512';

export interface AgentKey {
  algorithm: Algorithm;
  object: KeyObject;
  /** Epoch milliseconds; infinite without a bound. */
  notBefore: number;
  notAfter: number;
}

/** The keys of an agent by their thumbprints (RFC 7638, RFC 8037). */
export type AgentKeys = ReadonlyMap<string, AgentKey>;

type Json = Readonly<Record<string, unknown>>;

const KEYS_MAX = 100;
/** Larger RSA keys cost more to verify than an operator of a directory may demand. */
const RSA_BITS = { least: 2048, most: 4096 };
/** A larger public exponent (4 bytes) makes verification slow. */
const EXPONENT_LENGTH_MAX = 6;
const MILLISECONDS_FROM = 1e11;

/**
 * Published keys, whose private halves are known to everybody: RFC 9421, B.1.1 (RSA), B.1.2 (RSA-PSS) and B.1.4
 * (Ed25519), RFC 8037, A.1, and RFC 7638, 3.1.
 */
const TEST_KEYS: ReadonlySet<string> = new Set([
  'BHj8s0GPnMEQtkaULIM-PLgEhLBbuGUQ1vMxmBWZzEo',
  'oD0HwocPBSfpNy5W3bpJeyFGY_IQ_YpqxSjQ3Yd-CLA',
  'poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U',
  'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
  'NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs',
]);

export interface ReadOptions {
  /** Accepts the published keys, to verify the vectors of the standards. */
  testKeys: boolean;
}

/**
 * Reads a JWK Set, or a single JWK, which some agents publish. Skips keys that sign nothing here: other types, other
 * uses, published test keys. Returns undefined for any other document, which is a failure to resolve it; a set without
 * keys revokes all.
 */
export function readKeys(document: unknown, options: ReadOptions = { testKeys: false }): AgentKeys | undefined {
  const list = listKeys(document);
  if (list === undefined || list.length > KEYS_MAX) return undefined;
  const keys = new Map<string, AgentKey>();
  for (const jwk of list) {
    const [thumbprint, key] = (isObject(jwk) ? readKey(jwk) : undefined) ?? [];
    if (thumbprint === undefined || key === undefined) continue;
    if (options.testKeys || !TEST_KEYS.has(thumbprint)) keys.set(thumbprint, key);
  }
  return keys;
}

function listKeys(document: unknown): readonly unknown[] | undefined {
  if (!isObject(document)) return undefined;
  if (Array.isArray(document.keys)) return document.keys;
  return typeof document.kty === 'string' ? [document] : undefined;
}

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The names that JWKs of real agents give to the two algorithms. */
const NAMES: Record<Algorithm, ReadonlySet<unknown>> = {
  ed25519: new Set([undefined, 'ed25519', 'Ed25519', 'EdDSA']),
  'rsa-pss-sha512': new Set([undefined, 'rsa-pss-sha512', 'PS512']),
};

function readKey(jwk: Json): [thumbprint: string, AgentKey] | undefined {
  const members = pickRequiredMembers(jwk);
  if (members === undefined || !isForSignatures(jwk) || !NAMES[members.algorithm].has(jwk.alg)) return undefined;
  try {
    // The members alone: a private part that an agent publishes by mistake is not read.
    const object = createPublicKey({ key: members.required, format: 'jwk' });
    const { modulusLength = RSA_BITS.least } = object.asymmetricKeyDetails ?? {};
    if (modulusLength < RSA_BITS.least || modulusLength > RSA_BITS.most) return undefined;
    const thumbprint = createHash('sha256').update(JSON.stringify(members.required)).digest('base64url');
    const notBefore = readTime(jwk.nbf) ?? Number.NEGATIVE_INFINITY;
    const notAfter = readTime(jwk.exp) ?? Number.POSITIVE_INFINITY;
    return [thumbprint, { algorithm: members.algorithm, object, notBefore, notAfter }];
  } catch {
    return undefined;
  }
}

/** Returns the required members of a JWK in the order of its thumbprint. */
function pickRequiredMembers({
  kty,
  crv,
  x,
  e,
  n,
}: Json): { algorithm: Algorithm; required: Record<string, string> } | undefined {
  if (kty === 'OKP' && crv === 'Ed25519' && typeof x === 'string') {
    return { algorithm: 'ed25519', required: { crv, kty, x } };
  }
  if (kty === 'RSA' && typeof e === 'string' && e.length <= EXPONENT_LENGTH_MAX && typeof n === 'string') {
    return { algorithm: 'rsa-pss-sha512', required: { e, kty, n } };
  }
  return undefined;
}

const isForSignatures = ({ use, key_ops: operations }: Json): boolean =>
  (use === undefined || use === 'sig') &&
  (operations === undefined || (Array.isArray(operations) && operations.includes('verify')));

/** Reads seconds. Some agents publish milliseconds. */
function readTime(value: unknown): number | undefined {
  if (typeof value !== 'number') return undefined;
  return value >= MILLISECONDS_FROM ? value : value * 1000;
}

/** Returns a JWK Set that `readKeys` reads as the same keys. */
export const writeKeys = (keys: AgentKeys): { keys: Json[] } => ({
  keys: [...keys.values()].map(({ object, notBefore, notAfter }) => ({
    ...(object.export({ format: 'jwk' }) as Json),
    ...(Number.isFinite(notBefore) ? { nbf: notBefore / 1000 } : {}),
    ...(Number.isFinite(notAfter) ? { exp: notAfter / 1000 } : {}),
  })),
});

/** RFC 9421, 3.3.1 and 3.3.6. Never throws. */
export function verifyWith({ algorithm, object }: AgentKey, base: Buffer, signature: Buffer): boolean {
  try {
    if (algorithm === 'ed25519') return verify(null, base, object, signature);
    const key = { key: object, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 64 };
    return verify('sha512', base, key, signature);
  } catch {
    return false;
  }
}

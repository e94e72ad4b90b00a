/**
 * JWTs of one form: ES256, with the id of their key. Promise: the header chooses nothing, because it is compared as a
 * whole. `node:crypto` verifies in place: a thread takes longer to ask than the arithmetic takes.
 */
import { type KeyObject, sign, verify } from 'node:crypto';

export const ALGORITHM = 'ES256';
const DIGEST = 'sha256';
const DSA = { dsaEncoding: 'ieee-p1363' } as const;
const FORM = /^([\w-]+)\.([\w-]+)\.([\w-]{86})$/;

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Returns the header of every token that a key signs. */
export const toHead = (kid: string): string => encode({ alg: ALGORITHM, kid, typ: 'JWT' });

export function signJwt(claims: object, { head, key }: { head: string; key: KeyObject }): string {
  const signed = `${head}.${encode(claims)}`;
  return `${signed}.${sign(DIGEST, Buffer.from(signed), { key, ...DSA }).toString('base64url')}`;
}

/** Returns the claims of a token; undefined for one that none of the keys signed. */
export async function openJwt(
  text: string,
  findKey: (head: string) => Promise<KeyObject | undefined>,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const [, head = '', body = '', signature = ''] = FORM.exec(text) ?? [];
  const key = await findKey(head);
  const bytes = Buffer.from(signature, 'base64url');
  // The last character has bits to spare: a token has one spelling.
  if (key === undefined || bytes.toString('base64url') !== signature) return undefined;
  const isSigned = verify(DIGEST, Buffer.from(`${head}.${body}`), { key, ...DSA }, bytes);
  return isSigned ? JSON.parse(Buffer.from(body, 'base64url').toString()) : undefined;
}

/** Checkpoints of a log (C2SP tlog-checkpoint, signed-note), and the bytes that they and receipts are made of. */

/** A receipt that failed verification; `message` says at which step. */
export class ReceiptError extends Error {
  override readonly name = 'ReceiptError';
}

/** A checkpoint that was signed by one of the keys. */
export interface LogCheckpoint {
  /** The name of the log. */
  origin: string;
  /** Entries of the log. */
  size: number;
  /** Base64. */
  root: string;
}

const NOTE = /^(([^\n]+)\n(0|[1-9]\d{0,15})\n([A-Za-z0-9+/]{43}=)\n)\n((?:— [^\n ]+ [A-Za-z0-9+/=]+\n)+)$/;
/** Name, id and key; base64 may have a plus, too. */
const KEY = /^([^+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+=*)$/;
const ED25519 = 1;

/** Begins a key that signs no more. */
const REPLACED = '# replaced ';

/** Returns the keys with those that were replaced: they may have signed a checkpoint that was kept. */
export const withReplaced = (keys: string): string => keys.replaceAll(REPLACED, '');

/** Verifies a checkpoint by one of the keys; other signatures, as of witnesses, do no harm. Throws ReceiptError. */
export async function verifyCheckpoint(note: string, keys: string): Promise<LogCheckpoint> {
  const [text, origin, size, root, signatures] = (NOTE.exec(note) ?? refuseForm(note, 'checkpoint')).slice(1) as [
    string,
    string,
    string,
    string,
    string,
  ];
  const known = keys.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('#'));
  for (const line of signatures.split('\n').slice(0, -1)) {
    const [, name = '', encoded = ''] = line.split(' ');
    if (name !== origin) continue;
    for (const key of known) {
      if (await isSignedBy(key.trim(), { name, text, signature: fromBase64(encoded) })) {
        return { origin, size: Number(size), root: toBase64(toHash(root)) };
      }
    }
  }
  const message = `The checkpoint of ${origin} is signed by none of the keys.`;
  throw new ReceiptError(keys.includes(REPLACED) ? `${message} Get a receipt again whose key was replaced.` : message);
}

interface Signed {
  name: string;
  text: string;
  /** Id of the key and signature. */
  signature: Uint8Array<ArrayBuffer>;
}

async function isSignedBy(key: string, { name, text, signature }: Signed): Promise<boolean> {
  const [, keyName, id, encoded = ''] = KEY.exec(key) ?? refuse('A key is not in its form.');
  const typed = fromBase64(encoded);
  if (keyName !== name || typed[0] !== ED25519) return false;
  const own = (await sha256(joined(utf8(`${name}\n`), typed))).subarray(0, 4);
  if (toHex(own) !== id || toHex(signature.subarray(0, 4)) !== id) return false;
  const verifier = await crypto.subtle
    .importKey('raw', typed.subarray(1), 'Ed25519', false, ['verify'])
    .catch(() => refuse('A key is not in its form.'));
  return crypto.subtle.verify('Ed25519', verifier, signature.subarray(4), utf8(text));
}

export async function sha256(data: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', data));
}

export const utf8 = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

export function joined(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

const HASH_BYTES = 32;

export function toHash(text: string): Uint8Array {
  const bytes = fromBase64(text);
  return bytes.length === HASH_BYTES ? bytes : refuse('The receipt has a hash of a wrong length.');
}

/** Takes the one spelling of the bytes: another would go unnoticed. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  try {
    const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
    if (toBase64(bytes) === text) return bytes;
  } catch {
    // Refused below.
  }
  return refuse('The receipt or a key has text that is not base64.');
}

export function toBase64(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}

export const toHex = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

/** Windows programs may have saved it with line ends of their own, and what is signed has LF. */
export function refuseForm(text: string, what: 'receipt' | 'checkpoint'): never {
  const isSavedAnew = text.includes('\r\n');
  if (isSavedAnew) refuse(`The lines of the ${what} end with CR LF, not with LF. Save it again as it was sent.`);
  return refuse(what === 'receipt' ? 'This is no receipt.' : 'The checkpoint is not in its form.');
}

export function refuse(message: string): never {
  throw new ReceiptError(message);
}

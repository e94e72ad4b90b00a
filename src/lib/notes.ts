/**
 * Signed notes and what a log makes of them: keys, checkpoints, cosignatures (C2SP signed-note, tlog-checkpoint,
 * tlog-cosignature). Pure. Of the types of signatures it knows those of Ed25519: `01`, a log's own, and `04`, a
 * cosignature with its time.
 */
import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { HASH_BYTES, sha256 } from './merkle.ts';

/** The first byte of a typed key. */
export const SIGNATURE = 1;
export const COSIGNATURE = 4;

const ID_BYTES = 4;
const KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;
const TIME_BYTES = 8;

/** A key that verifies signatures of one name and type. */
export interface Verifier {
  /** The text that was read: `name+id+base64`. */
  vkey: string;
  name: string;
  id: Buffer;
  key: KeyObject;
}

const VERIFIER = /^([^+\s]+)\+([0-9a-f]{8})\+(\S+)$/;

/** Reads a verifier key of one type. Throws a sentence. */
export function readVerifier(text: string, type: typeof SIGNATURE | typeof COSIGNATURE): Verifier {
  const [, name = '', id = '', encoded = ''] = VERIFIER.exec(text) ?? [];
  const typed = fromBase64(encoded);
  if (typed?.length !== 1 + KEY_BYTES) throw new Error(`"${text}" is not a verifier key of Ed25519: name+id+base64`);
  if (typed[0] !== type) {
    const kind = type === COSIGNATURE ? 'a witness, which cosigns' : 'a log, which signs its checkpoints';
    throw new Error(`"${text}" is of type ${typed[0]}; the key of ${kind}, is of type ${type}`);
  }
  if (toKeyId(name, typed).toString('hex') !== id) throw new Error(`"${text}" does not have its id`);
  const x = typed.subarray(1).toString('base64url');
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  return { vkey: text, name, id: Buffer.from(id, 'hex'), key };
}

/** `typed`: the type of the key and the key. */
export const toKeyId = (name: string, typed: Uint8Array): Buffer =>
  sha256(Buffer.concat([Buffer.from(`${name}\n`), typed])).subarray(0, ID_BYTES);

/** Returns the bytes of base64 in its one spelling; undefined for other text. */
export function fromBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64');
  return text !== '' && bytes.toString('base64') === text ? bytes : undefined;
}

export interface NoteSignature {
  /** The line, without its end. */
  line: string;
  name: string;
  id: Buffer;
  bytes: Buffer;
}

interface Note {
  /** With its last line end. */
  text: string;
  signatures: NoteSignature[];
}

const SIGNATURE_LINE = /^— ([^\s+]+) (\S+)$/;
/** A note has none but line ends. */
const CONTROL = /\p{Cc}/u;

/** Reads a signed note, of which nothing is verified yet; undefined for other text. */
export function readNote(note: string): Note | undefined {
  const end = note.lastIndexOf('\n\n');
  if (end < 0 || CONTROL.test(note.replaceAll('\n', ''))) return undefined;
  const signatures = readSignatures(note.slice(end + 2));
  return signatures && { text: note.slice(0, end + 1), signatures };
}

/** Reads signature lines, one or more; undefined for other text. */
export function readSignatures(text: string): NoteSignature[] | undefined {
  if (!text.endsWith('\n')) return undefined;
  const signatures: NoteSignature[] = [];
  for (const line of text.slice(0, -1).split('\n')) {
    const [, name = '', encoded = ''] = SIGNATURE_LINE.exec(line) ?? [];
    const bytes = fromBase64(encoded);
    if (bytes === undefined || bytes.length <= ID_BYTES) return undefined;
    signatures.push({ line, name, id: bytes.subarray(0, ID_BYTES), bytes: bytes.subarray(ID_BYTES) });
  }
  return signatures;
}

/** Returns whether the signature claims to be by this key. */
export const isBy = ({ name, id }: NoteSignature, verifier: Verifier): boolean =>
  name === verifier.name && verifier.id.equals(id);

export const isSigned = (text: string, { bytes }: NoteSignature, { key }: Verifier): boolean =>
  bytes.length === SIGNATURE_BYTES && verify(null, Buffer.from(text), key, bytes);

/** A log at one size. */
interface Head {
  origin: string;
  size: number;
  root: Buffer;
}

const HEAD = /^([^\n]+)\n(0|[1-9]\d{0,15})\n([^\n]+)\n(?:[^\n]+\n)*$/;

/** Reads the text of a checkpoint; undefined for other text. */
export function readHead(text: string): Head | undefined {
  const [, origin = '', size = '', encoded = ''] = HEAD.exec(text) ?? [];
  const root = fromBase64(encoded);
  if (root?.length !== HASH_BYTES || !Number.isSafeInteger(Number(size))) return undefined;
  return { origin, size: Number(size), root };
}

const toCosigned = (text: string, seconds: number): Buffer => Buffer.from(`cosignature/v1\ntime ${seconds}\n${text}`);

export interface Cosigner {
  name: string;
  /** PKCS #8, base64. */
  privateKey: string;
  id: Buffer;
}

/** Returns the line that cosigns the text of a checkpoint at a Unix time, with its end. */
export function cosign(text: string, seconds: number, { name, privateKey, id }: Cosigner): string {
  const key = createPrivateKey({ key: Buffer.from(privateKey, 'base64'), format: 'der', type: 'pkcs8' });
  const time = Buffer.alloc(TIME_BYTES);
  time.writeBigUInt64BE(BigInt(seconds));
  return `— ${name} ${Buffer.concat([id, time, sign(null, toCosigned(text, seconds), key)]).toString('base64')}\n`;
}

/** Returns the Unix time at which the key cosigned the text; undefined if it did not. */
export function cosignedAt(text: string, { bytes }: NoteSignature, { key }: Verifier): number | undefined {
  if (bytes.length !== TIME_BYTES + SIGNATURE_BYTES) return undefined;
  const seconds = Number(bytes.readBigUInt64BE());
  if (!Number.isSafeInteger(seconds)) return undefined;
  return verify(null, toCosigned(text, seconds), key, bytes.subarray(TIME_BYTES)) ? seconds : undefined;
}

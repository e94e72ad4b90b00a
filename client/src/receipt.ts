/**
 * Verifies receipts of decisions with the public key of the log alone. Promise: a receipt that verifies was published,
 * as it stands, in the log that the key signs; with an earlier checkpoint, nothing that it covers has changed since.
 * Formats: C2SP tlog-proof, tlog-checkpoint and signed-note; trees as in RFC 6962.
 */

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

/** The content of a receipt. A part is null where it was erased, or is not for the one who got the receipt. */
export interface Receipt {
  decision: Record<string, unknown>;
  rule: Record<string, unknown> | null;
  requester: Record<string, unknown> | null;
  inputs: Record<string, unknown> | null;
  /** The parts of which only a hash is left. */
  withheld: string[];
  /** The place of the decision among those of its requester. */
  index: number;
  checkpoint: LogCheckpoint;
}

export interface ReceiptOptions {
  /** An earlier checkpoint of the log, or a receipt that ends with one. */
  checkpoint?: string;
}

const PARTS = ['decision', 'rule', 'requester', 'inputs'] as const;
type Part = { text: string; salt: string } | { hash: string };
interface Extra {
  parts: Record<(typeof PARTS)[number], Part>;
  tree: { owner: Part; index: number; size: number; hashes: string[] };
  since?: { size: number; hashes: string[] };
}

const FORMAT = /^c2sp\.org\/tlog-proof@v1\nextra (\S+)\nindex (\d{1,16})\n((?:[A-Za-z0-9+/=]{44}\n)*)\n([^]*)$/;
const VERSION = 1;

/** Verifies a receipt. `keys`: verifier keys of the log, a line each. Throws ReceiptError. */
export async function verifyReceipt(text: string, keys: string, options: ReceiptOptions = {}): Promise<Receipt> {
  const [, encoded = '', index = '', path = '', note = ''] = FORMAT.exec(text) ?? refuse('This is no receipt.');
  const checkpoint = await verifyCheckpoint(note, keys);
  const extra = readExtra(encoded);
  const { parts, tree } = extra;
  const leaf: Uint8Array[] = [Uint8Array.of(VERSION)];
  for (const name of PARTS) leaf.push(await commitment(parts[name]));
  const treeRoot = await toRoot(await hashLeaf(joined(...leaf)), tree);
  const head = [Uint8Array.of(VERSION), await commitment(tree.owner), sizeBytes(tree.size), treeRoot];
  const hashes = path.split('\n').slice(0, -1);
  const root = await toRoot(await hashLeaf(joined(...head)), {
    index: Number(index),
    size: checkpoint.size,
    hashes,
  });
  if (toBase64(root) !== checkpoint.root) throw new ReceiptError('The decision is not in the log of the checkpoint.');
  const shown = readParts(parts, tree.owner);
  if (options.checkpoint !== undefined) {
    await verifyGrowth(await verifyCheckpoint(noteIn(options.checkpoint), keys), checkpoint, extra.since);
  }
  return { ...shown, index: tree.index, checkpoint };
}

/** A checkpoint as it is, or the end of a receipt. */
const noteIn = (text: string): string => FORMAT.exec(text)?.[4] ?? text;

function readExtra(encoded: string): Extra {
  const bytes = fromBase64(encoded);
  const text = new TextDecoder().decode(bytes);
  const extra = parse(text) as Extra;
  // Nothing that is not verified may be in it.
  const { parts, tree, since } = extra;
  const exact = {
    parts: Object.fromEntries(PARTS.map((name) => [name, exactPart(parts?.[name])])),
    tree: { owner: exactPart(tree?.owner), index: tree?.index, size: tree?.size, hashes: tree?.hashes },
    ...(since === undefined ? {} : { since: { size: since.size, hashes: since.hashes } }),
  };
  const isWhole = [exact.tree, ...(since === undefined ? [] : [since])].every(
    ({ size, hashes }) => Number.isSafeInteger(size) && Array.isArray(hashes),
  );
  if (!isWhole || JSON.stringify(exact) !== text) refuse('The parts of the receipt are not in their form.');
  return extra;
}

function exactPart(part: Part | undefined): Partial<Part> {
  if (part !== undefined && 'hash' in part) return { hash: part.hash };
  return { text: part?.text, salt: part?.salt };
}

function readParts(parts: Extra['parts'], owner: Part): Omit<Receipt, 'index' | 'checkpoint'> {
  const open = (part: Part) => ('hash' in part ? null : (parse(part.text) as Record<string, unknown> | null));
  const requester = open(parts.requester);
  const decision = open(parts.decision);
  if (decision === null) throw new ReceiptError('The receipt lacks the decision.');
  if (requester !== null && 'text' in owner && owner.text !== (requester.requesterId ?? '')) {
    throw new ReceiptError('The decision is among those of another requester.');
  }
  return {
    decision,
    rule: open(parts.rule),
    requester,
    inputs: open(parts.inputs),
    withheld: PARTS.filter((name) => 'hash' in parts[name]),
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return refuse('The parts of the receipt are not in their form.');
  }
}

/** Throws unless the newer log begins with the older one. */
async function verifyGrowth(old: LogCheckpoint, now: LogCheckpoint, since: Extra['since']): Promise<void> {
  if (old.origin !== now.origin) throw new ReceiptError(`The checkpoint is of another log: ${old.origin}.`);
  if (old.size > now.size) {
    throw new ReceiptError(`The log had ${old.size} entries at the checkpoint, and has ${now.size} in the receipt.`);
  }
  const forked = 'The log does not continue the checkpoint: entries that it covers were changed or left out.';
  if (old.size === now.size) {
    if (old.root !== now.root) throw new ReceiptError(forked);
    return;
  }
  if (since?.size !== old.size) {
    throw new ReceiptError(`Get the receipt with ?since=${old.size}: this one does not say how the log grew.`);
  }
  if (!(await isContinued(old, now, since.hashes))) throw new ReceiptError(forked);
}

const half = (value: number): number => Math.floor(value / 2);

/** RFC 9162, section 2.1.4.2. */
async function isContinued(old: LogCheckpoint, now: LogCheckpoint, proof: readonly string[]): Promise<boolean> {
  const hashes = proof.map(toHash);
  if (Number.isInteger(Math.log2(old.size))) hashes.unshift(toHash(old.root));
  let [place, last] = [old.size - 1, now.size - 1];
  while (place % 2 === 1) [place, last] = [half(place), half(last)];
  const [first, ...rest] = hashes;
  if (first === undefined) return false;
  let [was, is] = [first, first];
  for (const hash of rest) {
    if (last === 0) return false;
    if (place % 2 === 1 || place === last) {
      [was, is] = [await hashNode(hash, was), await hashNode(hash, is)];
      while (place % 2 === 0 && place !== 0) [place, last] = [half(place), half(last)];
    } else {
      is = await hashNode(is, hash);
    }
    [place, last] = [half(place), half(last)];
  }
  return last === 0 && toBase64(was) === old.root && toBase64(is) === now.root;
}

interface Path {
  index: number;
  size: number;
  hashes: readonly string[];
}

/** Returns the root that the path leads to: RFC 9162, section 2.1.3.2. */
async function toRoot(leaf: Uint8Array, { index, size, hashes }: Path): Promise<Uint8Array> {
  if (!Number.isSafeInteger(index) || index < 0 || index >= size)
    refuse('The receipt names a place that is not there.');
  let [place, last] = [index, size - 1];
  let hashed = leaf;
  for (const text of hashes) {
    if (last === 0) refuse('The receipt has too many hashes.');
    const hash = toHash(text);
    if (place % 2 === 1 || place === last) {
      hashed = await hashNode(hash, hashed);
      while (place % 2 === 0 && place !== 0) [place, last] = [half(place), half(last)];
    } else {
      hashed = await hashNode(hashed, hash);
    }
    [place, last] = [half(place), half(last)];
  }
  if (last !== 0) refuse('The receipt has too few hashes.');
  return hashed;
}

const NOTE = /^(([^\n]+)\n(0|[1-9]\d{0,15})\n([A-Za-z0-9+/]{43}=)\n)\n((?:— [^\n ]+ [A-Za-z0-9+/=]+\n)+)$/;
/** Name, id and key; base64 may have a plus, too. */
const KEY = /^([^+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+=*)$/;
const ED25519 = 1;

/** Verifies a checkpoint by one of the keys; other signatures, as of witnesses, do no harm. Throws ReceiptError. */
export async function verifyCheckpoint(note: string, keys: string): Promise<LogCheckpoint> {
  const [text, origin, size, root, signatures] = (
    NOTE.exec(note) ?? refuse('The checkpoint is not in its form.')
  ).slice(1) as [string, string, string, string, string];
  const known = keys.split('\n').filter((line) => line.trim() !== '');
  for (const line of signatures.split('\n').slice(0, -1)) {
    const [, name = '', encoded = ''] = line.split(' ');
    if (name !== origin) continue;
    for (const key of known) {
      if (await isSignedBy(key.trim(), { name, text, signature: fromBase64(encoded) })) {
        return { origin, size: Number(size), root: toBase64(toHash(root)) };
      }
    }
  }
  throw new ReceiptError(`The checkpoint of ${origin} is signed by none of the keys.`);
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

async function commitment(part: Part): Promise<Uint8Array> {
  if ('hash' in part) return toHash(part.hash);
  const salt = fromBase64(part.salt);
  // Otherwise the text could begin elsewhere, with the same hash.
  if (salt.length !== SALT_BYTES) refuse('The receipt has a salt of a wrong length.');
  return sha256(joined(salt, utf8(part.text)));
}

function sizeBytes(size: number): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(size));
  return bytes;
}

const hashLeaf = (data: Uint8Array): Promise<Uint8Array> => sha256(joined(Uint8Array.of(0), data));
const hashNode = (left: Uint8Array, right: Uint8Array): Promise<Uint8Array> =>
  sha256(joined(Uint8Array.of(1), left, right));

async function sha256(data: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', data));
}

const utf8 = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

function joined(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

const HASH_BYTES = 32;
const SALT_BYTES = 16;

function toHash(text: string): Uint8Array {
  const bytes = fromBase64(text);
  return bytes.length === HASH_BYTES ? bytes : refuse('The receipt has a hash of a wrong length.');
}

/** Takes the one spelling of the bytes: another would go unnoticed. */
function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  try {
    const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
    if (toBase64(bytes) === text) return bytes;
  } catch {
    // Refused below.
  }
  return refuse('The receipt or a key has text that is not base64.');
}

function toBase64(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}

const toHex = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

function refuse(message: string): never {
  throw new ReceiptError(message);
}

/**
 * Verifies receipts of decisions and of final statements with the public key of the log alone. Promise: a receipt that
 * verifies was published, as it stands, in the log that the key signs; with an earlier checkpoint, nothing that it
 * covers has changed since; with witnesses, they have seen no other log by its name.
 * Format: C2SP tlog-proof; trees as in RFC 6962.
 */
import {
  fromBase64,
  joined,
  type LogCheckpoint,
  ReceiptError,
  refuse,
  refuseForm,
  sha256,
  toBase64,
  toHash,
  utf8,
  verifyCheckpoint,
  withReplaced,
} from './checkpoint.ts';
import { type Cosigned, verifyCosignatures, type WitnessOptions } from './cosignature.ts';

export { type LogCheckpoint, ReceiptError, verifyCheckpoint } from './checkpoint.ts';
export type { Cosigned, WitnessOptions } from './cosignature.ts';

/** The content of a receipt. A part is null where it was erased, or is not for the one who got the receipt. */
export interface Receipt {
  /** null in the receipt of a statement, as are `rule` and `inputs`. */
  decision: Record<string, unknown> | null;
  rule: Record<string, unknown> | null;
  requester: Record<string, unknown> | null;
  inputs: Record<string, unknown> | null;
  /** A final statement; null in the receipt of a decision. */
  statement: Record<string, unknown> | null;
  /** A decision that a line of the statement counts; null unless the receipt was made for one. */
  counted: { decisionId: string; line: Record<string, unknown> } | null;
  /** The parts of which only a hash is left. */
  withheld: string[];
  /** The place of the decision or statement among those of its requester. */
  index: number;
  checkpoint: LogCheckpoint;
  /** The named witnesses that cosigned the checkpoint. */
  cosigned: Cosigned[];
}

export interface ReceiptOptions extends WitnessOptions {
  /** An earlier checkpoint of the log, or a receipt that ends with one. */
  checkpoint?: string;
}

/** The parts of a leaf, whose first byte is its version. The first part is never withheld. */
const DECISION = { version: 1, names: ['decision', 'rule', 'requester', 'inputs'] };
const STATEMENT = { version: 2, names: ['statement', 'requester'] };
type Part = { text: string; salt: string } | { hash: string };
interface Extra {
  parts: Record<string, Part>;
  counted?: { decisionId: string; line: number; index: number; hashes: string[] };
  tree: { owner: Part; index: number; size: number; hashes: string[] };
  since?: { size: number; hashes: string[] };
}

const FORMAT = /^c2sp\.org\/tlog-proof@v1\nextra (\S+)\nindex (\d{1,16})\n((?:[A-Za-z0-9+/=]{44}\n)*)\n([^]*)$/;
const VERSION = 1;

/** Verifies a receipt. `keys`: verifier keys of the log, a line each. Throws ReceiptError. */
export async function verifyReceipt(text: string, keys: string, options: ReceiptOptions = {}): Promise<Receipt> {
  const [, encoded = '', index = '', path = '', note = ''] = FORMAT.exec(text) ?? refuseForm(text, 'receipt');
  const checkpoint = await verifyCheckpoint(note, keys);
  const cosigned = await verifyCosignatures(note, options);
  const extra = readExtra(encoded);
  const { parts, tree } = extra;
  const { version, names } = leafIn(extra);
  const leaf: Uint8Array[] = [Uint8Array.of(version)];
  for (const name of names) leaf.push(await commitment(parts[name] as Part));
  const treeRoot = await toRoot(await hashLeaf(joined(...leaf)), tree);
  const head = [Uint8Array.of(VERSION), await commitment(tree.owner), sizeBytes(tree.size), treeRoot];
  const hashes = path.split('\n').slice(0, -1);
  const root = await toRoot(await hashLeaf(joined(...head)), {
    index: Number(index),
    size: checkpoint.size,
    hashes,
  });
  if (toBase64(root) !== checkpoint.root) {
    throw new ReceiptError(`The ${String(names[0])} is not in the log of the checkpoint.`);
  }
  const shown = readParts(extra);
  const counted = extra.counted === undefined ? null : await verifyCounted(shown.statement, extra.counted);
  if (options.checkpoint !== undefined) {
    const kept = await verifyCheckpoint(noteIn(options.checkpoint), withReplaced(keys));
    await verifyGrowth(kept, checkpoint, extra.since);
  }
  return { ...shown, counted, index: tree.index, checkpoint, cosigned };
}

const leafIn = ({ parts }: Extra) => ('statement' in parts ? STATEMENT : DECISION);

/** A line of a statement has the root of the tree over its decision ids. */
async function verifyCounted(
  statement: Receipt['statement'],
  { decisionId, line: no, index, hashes }: NonNullable<Extra['counted']>,
): Promise<NonNullable<Receipt['counted']>> {
  const lines = statement?.lines as Record<string, unknown>[] | undefined;
  const line = lines?.[no] ?? refuse('The statement has no such line.');
  const root = await toRoot(await hashLeaf(utf8(decisionId)), { index, size: Number(line.decisions), hashes });
  if (toBase64(root) !== line.root) throw new ReceiptError(`The line does not count ${decisionId}.`);
  return { decisionId, line };
}

/** A checkpoint as it is, or the end of a receipt. */
const noteIn = (text: string): string => FORMAT.exec(text)?.[4] ?? text;

function readExtra(encoded: string): Extra {
  const bytes = fromBase64(encoded);
  const text = new TextDecoder().decode(bytes);
  const extra = parse(text) as Extra;
  // Nothing that is not verified may be in it.
  const { parts, counted, tree, since } = extra;
  if (typeof parts !== 'object' || [parts, since, counted].includes(null as never)) refuse(MALFORMED);
  const exact = {
    parts: Object.fromEntries(leafIn(extra).names.map((name) => [name, exactPart(parts[name])])),
    ...(counted === undefined ? {} : { counted: exactCounted(counted) }),
    tree: { owner: exactPart(tree?.owner), index: tree?.index, size: tree?.size, hashes: tree?.hashes },
    ...(since === undefined ? {} : { since: { size: since.size, hashes: since.hashes } }),
  };
  const isWhole = [exact.tree, ...(since === undefined ? [] : [since])].every(
    ({ size, hashes }) => Number.isSafeInteger(size) && Array.isArray(hashes),
  );
  if (!isWhole || JSON.stringify(exact) !== text) refuse(MALFORMED);
  return extra;
}

const MALFORMED = 'The parts of the receipt are not in their form.';

function exactCounted({ decisionId, line, index, hashes }: NonNullable<Extra['counted']>) {
  if (typeof decisionId !== 'string' || !Number.isSafeInteger(line) || !Array.isArray(hashes)) refuse(MALFORMED);
  return { decisionId, line, index, hashes };
}

function exactPart(part: Part | undefined): Partial<Part> {
  if (part !== undefined && (typeof part !== 'object' || part === null)) refuse(MALFORMED);
  if (part !== undefined && 'hash' in part) return { hash: part.hash };
  return { text: part?.text, salt: part?.salt };
}

function readParts(extra: Extra): Omit<Receipt, 'counted' | 'index' | 'checkpoint' | 'cosigned'> {
  const { parts, tree } = extra;
  const { names } = leafIn(extra);
  const open = (name: string) => {
    const part = parts[name];
    return part === undefined || 'hash' in part ? null : (parse(part.text) as Record<string, unknown> | null);
  };
  const requester = open('requester');
  if (open(names[0] as string) === null) throw new ReceiptError(`The receipt lacks the ${String(names[0])}.`);
  if (requester !== null && 'text' in tree.owner && tree.owner.text !== (requester.requesterId ?? '')) {
    throw new ReceiptError(`The ${String(names[0])} is among those of another requester.`);
  }
  return {
    decision: open('decision'),
    rule: open('rule'),
    requester,
    inputs: open('inputs'),
    statement: open('statement'),
    withheld: names.filter((name) => 'hash' in (parts[name] as Part)),
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return refuse(MALFORMED);
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

const SALT_BYTES = 16;

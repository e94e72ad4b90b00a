/**
 * A log of receipts, built a second time: the recursive definitions of RFC 6962, and the notes and proofs of C2SP as
 * their pages have them. It shares nothing with the service.
 */
import { Buffer } from 'node:buffer';
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

const sha256 = (...data: Uint8Array[]): Buffer =>
  data.reduce((hash, one) => hash.update(one), createHash('sha256')).digest();

/** The largest power of two below a number. */
const largestBelow = (n: number): number => 2 ** Math.ceil(Math.log2(n) - 1);

/** MTH of RFC 6962, 2.1. */
export function rootOver(data: readonly Uint8Array[]): Buffer {
  if (data.length === 0) return sha256();
  if (data.length === 1) return sha256(Buffer.of(0), data[0] as Uint8Array);
  const k = largestBelow(data.length);
  return sha256(Buffer.of(1), rootOver(data.slice(0, k)), rootOver(data.slice(k)));
}

/** PATH of RFC 6962, 2.1.1. */
export function path(m: number, data: readonly Uint8Array[]): Buffer[] {
  if (data.length === 1) return [];
  const k = largestBelow(data.length);
  return m < k
    ? [...path(m, data.slice(0, k)), rootOver(data.slice(k))]
    : [...path(m - k, data.slice(k)), rootOver(data.slice(0, k))];
}

/** PROOF of RFC 6962, 2.1.2. */
export const proof = (m: number, data: readonly Uint8Array[]): Buffer[] => subproof(m, data, true);

function subproof(m: number, data: readonly Uint8Array[], isWhole: boolean): Buffer[] {
  if (m === data.length) return isWhole ? [] : [rootOver(data)];
  const k = largestBelow(data.length);
  return m <= k
    ? [...subproof(m, data.slice(0, k), isWhole), rootOver(data.slice(k))]
    : [...subproof(m - k, data.slice(k), false), rootOver(data.slice(0, k))];
}

export const NAME = 'postern.example/log';

/** A signer of notes: C2SP signed-note, Ed25519. */
export function openSigner(name = NAME) {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const typed = Buffer.concat([Buffer.of(1), publicKey.export({ format: 'der', type: 'spki' }).subarray(-32)]);
  const id = sha256(Buffer.from(name), Buffer.of(10), typed).subarray(0, 4);
  return {
    key: `${name}+${id.toString('hex')}+${typed.toString('base64')}`,
    checkpoint(data: readonly Uint8Array[]): string {
      const text = `${name}\n${data.length}\n${rootOver(data).toString('base64')}\n`;
      const signature = Buffer.concat([id, sign(null, Buffer.from(text), privateKey)]).toString('base64');
      return `${text}\n— ${name} ${signature}\n`;
    },
  };
}

type Signer = ReturnType<typeof openSigner>;
export type Shown = { text: string; salt: string } | { hash: string };

export interface Extra {
  parts: Record<string, Shown>;
  counted?: { decisionId: string; line: number; index: number; hashes: string[] };
  tree: { owner: Shown; index: number; size: number; hashes: string[] };
  since?: { size: number; hashes: string[] };
}

const texts = (hashes: readonly Buffer[]): string[] => hashes.map((hash) => hash.toString('base64'));
const salted = (text: string): { text: string; salt: string } => ({ text, salt: randomBytes(16).toString('base64') });
const commitment = ({ text, salt }: { text: string; salt: string }): Buffer =>
  sha256(Buffer.from(salt, 'base64'), Buffer.from(text));
const hidden = (one: { text: string; salt: string }): Shown => ({ hash: commitment(one).toString('base64') });

function uint64(n: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(n));
  return bytes;
}

export interface Shape {
  /** Decisions of the requester, of which `index` is proven. */
  decisions: number;
  index: number;
  /** Entries of the public log, of which `head` is the requester's tree. */
  entries: number;
  head: number;
  /** The size of the earlier checkpoint. */
  since?: number | undefined;
  hides?: readonly string[];
  /** The text of the decision. */
  decision?: string;
  /** Proves a final statement instead, whose line 1 counts these decisions. `counted`: proves one of them, too. */
  statement?: { ids: readonly string[]; counted?: number };
}

export interface Made {
  extra: Extra;
  index: number;
  hashes: string[];
  checkpoint: string;
  /** The earlier checkpoint; '' without one. */
  old: string;
  entries: Buffer[];
}

const DECISION = JSON.stringify({ id: 'dec_1', allowed: true, reason: null });

const REQUESTER = { requesterId: 'acme', licenseId: null, claimed: null };

/** The parts of the leaf, the first byte of it, and what else a receipt has of it. */
function makeLeaf({ decision = DECISION, statement }: Shape) {
  if (statement === undefined) {
    const parts = {
      decision: salted(decision),
      rule: salted(JSON.stringify({ policyId: 'pol_1', rule: 0 })),
      requester: salted(JSON.stringify(REQUESTER)),
      inputs: salted('null'),
    };
    return { version: 1, parts, more: {} };
  }
  const { ids, counted } = statement;
  const leaves = ids.map((id) => Buffer.from(id));
  const line = { kind: 'usage', decisions: ids.length, root: rootOver(leaves).toString('base64') };
  const parts = {
    statement: salted(JSON.stringify({ id: 'stm_1', status: 'final', lines: [{ kind: 'flat' }, line] })),
    requester: salted(JSON.stringify({ requesterId: 'acme', requesterName: null, reference: null })),
  };
  if (counted === undefined) return { version: 2, parts, more: {} };
  const hashes = texts(path(counted, leaves));
  const proven = { decisionId: ids[counted] as string, line: 1, index: counted, hashes };
  return { version: 2, parts, more: { counted: proven } };
}

export function makeReceipt(signer: Signer, shape: Shape): Made {
  const { decisions, index, entries, head, since, hides = [] } = shape;
  const { version, parts, more } = makeLeaf(shape);
  const leaf = Buffer.concat([Buffer.of(version), ...Object.values(parts).map(commitment)]);
  const tree = Array.from({ length: decisions }, (_, i) => (i === index ? leaf : randomBytes(129)));
  const owner = salted('acme');
  const own = Buffer.concat([Buffer.of(1), commitment(owner), uint64(decisions), rootOver(tree)]);
  const log = Array.from({ length: entries }, (_, i) => (i === head ? own : randomBytes(73)));
  const shown = Object.entries(parts).map(
    ([name, part]) => [name, hides.includes(name) ? hidden(part) : part] as const,
  );
  return {
    extra: {
      parts: Object.fromEntries(shown),
      ...more,
      tree: { owner, index, size: decisions, hashes: texts(path(index, tree)) },
      ...(since === undefined ? {} : { since: { size: since, hashes: texts(proof(since, log)) } }),
    },
    index: head,
    hashes: texts(path(head, log)),
    checkpoint: signer.checkpoint(log),
    old: since === undefined ? '' : signer.checkpoint(log.slice(0, since)),
    entries: log,
  };
}

/** C2SP tlog-proof. */
export const write = ({ extra, index, hashes, checkpoint }: Omit<Made, 'old' | 'entries'>): string =>
  [
    'c2sp.org/tlog-proof@v1',
    `extra ${Buffer.from(JSON.stringify(extra)).toString('base64')}`,
    `index ${index}`,
    ...hashes,
    '',
    checkpoint,
  ].join('\n');

/** The same hashes, of a decision whose text begins a byte later. */
export function withMovedSalt(extra: Extra): Extra {
  const { text, salt } = extra.parts.decision as { text: string; salt: string };
  const bytes = Buffer.concat([Buffer.from(salt, 'base64'), Buffer.from(text)]);
  const moved = { text: bytes.subarray(17).toString(), salt: bytes.subarray(0, 17).toString('base64') };
  return { ...extra, parts: { ...extra.parts, decision: moved } };
}

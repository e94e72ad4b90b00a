/**
 * Merkle trees of RFC 6962, kept as tiles of 256 hashes (C2SP tlog-tiles). Pure. A tree only grows: a tile that is full
 * never changes, and one that is not full only gets longer.
 */
import { hash } from 'node:crypto';

/** Hashes of a full tile. */
export const TILE = 256;
export const HASH_BYTES = 32;

/** In half the time of a buffer that Node.js makes. */
export const sha256 = (data: Uint8Array): Buffer => Buffer.from(hash('sha256', data, 'binary'), 'latin1');

export const hashLeaf = (data: Uint8Array): Buffer => sha256(Buffer.concat([LEAF, data]));

const LEAF = Buffer.of(0);
const pair = Buffer.alloc(1 + 2 * HASH_BYTES, 1);

function hashNode(left: Uint8Array, right: Uint8Array): Buffer {
  pair.set(left, 1);
  pair.set(right, 1 + HASH_BYTES);
  return sha256(pair);
}

/** Returns the greatest power of two below a number from 2. */
function splitAt(count: number): number {
  let half = 1;
  while (half * 2 < count) half *= 2;
  return half;
}

/** Returns the root over the roots of perfect subtrees of one size; the last one may be smaller. */
function toRoot(hashes: readonly Buffer[], from = 0, to = hashes.length): Buffer {
  if (to - from < 2) return hashes[from] ?? sha256(Buffer.of());
  const middle = from + splitAt(to - from);
  return hashNode(toRoot(hashes, from, middle), toRoot(hashes, middle, to));
}

/** The right edge of a tree: by level, the hashes of the tile that is not full. */
export interface Edge {
  size: number;
  levels: Buffer[][];
}

export interface Tile {
  level: number;
  no: number;
  hashes: readonly Buffer[];
}

/** Appends leaves to the edge. Returns the tiles that changed. */
export function append(edge: Edge, leaves: readonly Buffer[]): Tile[] {
  const full: Tile[] = [];
  for (const leaf of leaves) push(edge, leaf, full);
  return [...full, ...unfilled(edge, full.at(-1)?.level)];
}

/** Appends a leaf to the edge, and the tiles that became full to others. */
export function push(edge: Edge, leaf: Buffer, full: Tile[]): void {
  edge.size++;
  let hashed = leaf;
  for (let level = 0; ; level++) {
    edge.levels[level] ??= [];
    const hashes = edge.levels[level] as Buffer[];
    hashes.push(hashed);
    if (hashes.length < TILE) return;
    full.push({ level, no: tileOf(edge.size - 1, level), hashes });
    edge.levels[level] = [];
    hashed = tileRoot(hashes);
  }
}

/** Returns the tiles that are not full and changed. `filled`: the highest level of which tiles became full. */
export const unfilled = (edge: Edge, filled = -1): Tile[] =>
  edge.levels
    .slice(0, filled + 2)
    .flatMap((hashes, level) => (hashes.length > 0 ? [{ level, no: tileOf(edge.size, level), hashes }] : []));

/** The tile of a level to which a leaf belongs. */
const tileOf = (index: number, level: number): number => Math.floor(index / TILE ** (level + 1));

/** Pairs as they are hashed, so that nothing is made for each. */
const pairs = Array.from({ length: TILE / 2 }, () => Buffer.alloc(pair.length, 1));

/** Returns the root over the hashes of a full tile. */
function tileRoot(hashes: readonly Buffer[]): Buffer {
  for (const [i, hashed] of hashes.entries()) setHalf(i, hashed);
  for (let count = TILE / 2; count > 1; count /= 2) {
    for (let i = 0; i < count; i++) {
      (pairs[i >> 1] as Buffer).write(hash('sha256', pairs[i] as Buffer, 'latin1'), halfAt(i), 'latin1');
    }
  }
  return sha256(pairs[0] as Buffer);
}

const halfAt = (i: number): number => 1 + (i & 1) * HASH_BYTES;
const setHalf = (i: number, hashed: Buffer): number => hashed.copy(pairs[i >> 1] as Buffer, halfAt(i));

export function edgeRoot({ levels }: Edge): Buffer {
  let below: Buffer[] = [];
  for (const hashes of levels) {
    const row = [...hashes, ...below];
    below = row.length === 0 ? [] : [toRoot(row)];
  }
  return toRoot(below);
}

/** Reads a tile, with at least as many hashes as the tree in question has. */
export type ReadTile = (level: number, no: number) => Promise<readonly Buffer[]>;

/** Returns the root over some leaves that are a subtree. */
async function readRoot(read: ReadTile, from: number, to: number): Promise<Buffer> {
  const height = Math.log2(to - from);
  if (!Number.isInteger(height)) {
    const middle = from + splitAt(to - from);
    return hashNode(await readRoot(read, from, middle), await readRoot(read, middle, to));
  }
  const level = Math.floor(height / 8);
  const first = from / TILE ** level;
  const at = first % TILE;
  const tile = await read(level, Math.floor(first / TILE));
  return toRoot(tile, at, at + 2 ** (height % 8));
}

/** Returns the proof that a leaf is in the tree of leaves up to `to`, from the bottom up. */
export async function proveInclusion(read: ReadTile, index: number, to: number, from = 0): Promise<Buffer[]> {
  if (to - from < 2) return [];
  const middle = from + splitAt(to - from);
  return index < middle
    ? [...(await proveInclusion(read, index, middle, from)), await readRoot(read, middle, to)]
    : [...(await proveInclusion(read, index, to, middle)), await readRoot(read, from, middle)];
}

/** Returns the proof that the tree of `size` leaves begins with the one of `old` leaves, which are at least one. */
export function proveConsistency(read: ReadTile, old: number, size: number): Promise<Buffer[]> {
  const prove = async (upTo: number, from: number, to: number, isWhole: boolean): Promise<Buffer[]> => {
    if (upTo === to) return isWhole ? [] : [await readRoot(read, from, to)];
    const middle = from + splitAt(to - from);
    return upTo <= middle
      ? [...(await prove(upTo, from, middle, isWhole)), await readRoot(read, middle, to)]
      : [...(await prove(upTo, middle, to, false)), await readRoot(read, from, middle)];
  };
  return prove(old, 0, size, true);
}

interface Size {
  size: number;
  root: Uint8Array;
}

/**
 * Returns whether the proof says that the newer tree begins with the older one, which is not larger (RFC 9162, section
 * 2.1.4.2). For an empty tree, and for the same one, the proof is empty.
 */
export function isConsistent(older: Size, newer: Size, proof: readonly Uint8Array[]): boolean {
  if (older.size === newer.size) return proof.length === 0 && isSame(older.root, newer.root);
  if (older.size === 0) return proof.length === 0;
  const roots = followBoth(older, newer.size, proof);
  return roots !== undefined && isSame(roots.was, older.root) && isSame(roots.is, newer.root);
}

/** Returns the roots of both trees that the proof leads to; undefined if it is too short or too long. */
function followBoth({ size, root }: Size, newer: number, proof: readonly Uint8Array[]) {
  let [place, last] = [size - 1, newer - 1];
  while (place % 2 === 1) [place, last] = [half(place), half(last)];
  const [first, ...rest] = place === 0 ? [root, ...proof] : proof;
  if (first === undefined) return undefined;
  let [was, is] = [first, first];
  for (const hashed of rest) {
    if (last === 0) return undefined;
    if (place % 2 === 1 || place === last) {
      [was, is] = [hashNode(hashed, was), hashNode(hashed, is)];
      while (place % 2 === 0 && place !== 0) [place, last] = [half(place), half(last)];
    } else {
      is = hashNode(is, hashed);
    }
    [place, last] = [half(place), half(last)];
  }
  return last === 0 ? { was, is } : undefined;
}

const half = (value: number): number => Math.floor(value / 2);
const isSame = (one: Uint8Array, other: Uint8Array): boolean => Buffer.compare(one, other) === 0;

/** Trees in tiles are those of RFC 6962: written here a second time, from its recursive definitions alone. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { append, type Edge, edgeRoot, hashLeaf, proveConsistency, proveInclusion, type ReadTile } from './merkle.ts';

type Data = readonly Buffer[];
const sha = (...parts: Buffer[]): Buffer => createHash('sha256').update(Buffer.concat(parts)).digest();
/** The largest power of two smaller than n. */
const k = (n: number): number => 2 ** Math.ceil(Math.log2(n) - 1);
function mth(d: Data): Buffer {
  if (d.length === 0) return sha();
  if (d.length === 1) return sha(Buffer.of(0), d[0] as Buffer);
  return sha(Buffer.of(1), mth(d.slice(0, k(d.length))), mth(d.slice(k(d.length))));
}
function path(m: number, d: Data): Buffer[] {
  const half = k(d.length);
  if (d.length === 1) return [];
  return m < half
    ? [...path(m, d.slice(0, half)), mth(d.slice(half))]
    : [...path(m - half, d.slice(half)), mth(d.slice(0, half))];
}
function subproof(m: number, d: Data, b: boolean): Buffer[] {
  if (m === d.length) return b ? [] : [mth(d)];
  const half = k(d.length);
  return m <= half
    ? [...subproof(m, d.slice(0, half), b), mth(d.slice(half))]
    : [...subproof(m - half, d.slice(half), false), mth(d.slice(0, half))];
}

const leaf = (i: number): Buffer => Buffer.from(`leaf ${i}`);

/** A tree that grew in pieces, and what reads its tiles. */
function grow(pieces: readonly number[]): { edge: Edge; read: ReadTile } {
  const edge: Edge = { size: 0, levels: [] };
  const tiles = new Map<string, readonly Buffer[]>();
  for (const piece of pieces) {
    const leaves = Array.from({ length: piece }, (_, i) => hashLeaf(leaf(edge.size + i)));
    for (const { level, no, hashes } of append(edge, leaves)) {
      const was = tiles.get(`${level}/${no}`) ?? [];
      assert.deepEqual(hashes.slice(0, was.length), was, 'a tile only gets longer');
      tiles.set(`${level}/${no}`, [...hashes]);
    }
  }
  return { edge, read: async (level, no) => tiles.get(`${level}/${no}`) ?? [] };
}

test('roots and proofs of trees that grew in pieces are those of the definition', async () => {
  for (const pieces of [[0], [1], [1, 1], [3, 4], [255], [256], [257], [100, 156, 1], [300, 300], [512, 511, 2]]) {
    const { edge, read } = grow(pieces);
    const { size } = edge;
    const all = Array.from({ length: size }, (_, i) => leaf(i));
    assert.deepEqual(edgeRoot(edge), mth(all), `${pieces}`);
    const places = [0, 1, 2, 127, 128, 254, 255, 256, 257, 511, 512, size - 2, size - 1].filter(
      (one) => one >= 0 && one < size,
    );
    for (const place of places) {
      assert.deepEqual(await proveInclusion(read, place, size), path(place, all), `${place} in ${size}`);
      const proof = await proveConsistency(read, place + 1, size);
      assert.deepEqual(proof, subproof(place + 1, all, true), `${place + 1} to ${size}`);
    }
  }
});

test('a tree of more than two levels of tiles has the same root in one piece and in many', () => {
  const pieces = Array.from({ length: 700 }, (_, i) => (i * 37) % 211);
  const size = pieces.reduce((sum, piece) => sum + piece, 0);
  assert.ok(size > 256 ** 2);
  assert.deepEqual(edgeRoot(grow(pieces).edge), edgeRoot(grow([size]).edge));
  assert.deepEqual(edgeRoot(grow([size]).edge), mth(Array.from({ length: size }, (_, i) => leaf(i))));
});

/**
 * Keeps, from outside, all that a public log shows: its checkpoints, its entries and receipts. Finds every fork:
 * each root is computed again from the entries that were kept, so each checkpoint continues all earlier ones.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { verifyCheckpoint, verifyReceipt } from '../../client/src/receipt.ts';
import type { Running } from '../../kit/launch.ts';
import type { Random } from '../../kit/random.ts';

type Node = Pick<Running, 'url' | 'ask'>;

const TILE = 256;
const HASH_BYTES = 32;

/** The root over hashes of leaves (RFC 6962, 2.1). */
function rootOver(hashes: readonly Buffer[]): Buffer {
  if (hashes.length === 1) return hashes[0] as Buffer;
  const k = 2 ** Math.ceil(Math.log2(hashes.length) - 1);
  const [left, right] = [rootOver(hashes.slice(0, k)), rootOver(hashes.slice(k))];
  return createHash('sha256').update(Buffer.of(1)).update(left).update(right).digest();
}

export class Witness {
  readonly #random: Random;
  #keys = '';
  /** The hashes of the entries. */
  #entries: Buffer[] = [];
  /** Checkpoints in the order of their size. */
  readonly #checkpoints: { size: number; note: string }[] = [];
  /** By the id of the decision. */
  readonly #receipts = new Map<string, string>();
  /** The decision at each place of each requester's tree. */
  readonly #places = new Map<string, string>();

  constructor(random: Random) {
    this.#random = random;
  }

  get figures() {
    return { checkpoints: this.#checkpoints.length, entries: this.#entries.length, receipts: this.#receipts.size };
  }

  /** Keeps the newest checkpoint, if there is one. Rejects where the log forked, or got shorter. */
  async look(node: Node): Promise<void> {
    const { size: last = 0 } = this.#checkpoints.at(-1) ?? {};
    const answer = await fetch(`${node.url()}/log/checkpoint`);
    if (answer.status === 503) return;
    if (answer.status === 404) return assert.equal(last, 0, `the log had ${last} entries, and has none`);
    const size = await this.#keep(node, await answer.text());
    assert.ok(size >= last, `the log had ${last} entries, and has ${size}`);
  }

  /** Returns its size. */
  async #keep(node: Node, note: string): Promise<number> {
    if (this.#keys === '') {
      const answer = await fetch(`${node.url()}/log/key`);
      if (answer.status === 503) return 0;
      this.#keys = await answer.text();
    }
    const { size, root } = await verifyCheckpoint(note, this.#keys);
    await this.#readEntries(node, size);
    assert.equal(rootOver(this.#entries.slice(0, size)).toString('base64'), root, `another root of ${size} entries`);
    if (size > (this.#checkpoints.at(-1)?.size ?? 0)) this.#checkpoints.push({ size, note });
    return size;
  }

  /** Reads the entries up to a size, from the tile with the last known one on. */
  async #readEntries(node: Node, size: number, from = this.#entries.length): Promise<void> {
    for (let no = Math.floor(from / TILE); no * TILE < size; no++) {
      const width = Math.min(TILE, size - no * TILE);
      const path = `${String(no).padStart(3, '0')}${width < TILE ? `.p/${width}` : ''}`;
      const answer = await fetch(`${node.url()}/log/tile/0/${path}`);
      if (answer.status === 503) throw new TypeError('the node has no database');
      assert.equal(answer.status, 200, `tile ${path}`);
      const bytes = Buffer.from(await answer.arrayBuffer());
      for (let i = 0; i < width; i++) {
        const entry = bytes.subarray(i * HASH_BYTES, (i + 1) * HASH_BYTES);
        const kept = (this.#entries[no * TILE + i] ??= entry);
        assert.ok(kept.equals(entry), `entry ${no * TILE + i} is another one now`);
      }
    }
  }

  /**
   * Gets and keeps the receipt of a decision; some show that the log continues an earlier checkpoint. Returns undefined
   * before there is one.
   */
  async receipt(node: Node, id: string) {
    const old = this.#checkpoints.length === 0 ? undefined : this.#random.pick(this.#checkpoints);
    const since = old === undefined ? '' : `?since=${old.size}`;
    const answer = await node.ask('GET', `/v1/access/decisions/${id}/proof${since}`);
    if (answer.status === 503) return undefined;
    assert.equal(answer.status, 200, `${id}: ${answer.text}`);
    await this.#keep(node, answer.text.split('\n\n').slice(1).join('\n\n'));
    const receipt = await verifyReceipt(answer.text, this.#keys, old === undefined ? {} : { checkpoint: old.note });
    const logged = await node.ask('GET', `/v1/access/decisions/${id}`);
    if (logged.status === 503) return undefined;
    assert.equal(receipt.decision?.id, logged.body.publicId);
    this.#receipts.set(id, answer.text);
    const extra = JSON.parse(Buffer.from(answer.text.split('\n')[1]?.slice(6) ?? '', 'base64').toString());
    // The salt of its owner is unique to a tree, and goes when it is erased.
    const place = `${extra.tree.owner.salt ?? extra.tree.owner.hash} ${extra.tree.index}`;
    assert.equal(this.#places.get(place) ?? id, id, 'two decisions have one place');
    this.#places.set(place, id);
    return receipt;
  }

  /** Reads the whole log again, and verifies every receipt that was ever given. */
  async end(node: Node): Promise<void> {
    const { size = 0 } = this.#checkpoints.at(-1) ?? {};
    await this.#readEntries(node, size, 0);
    for (const text of this.#receipts.values()) {
      const { checkpoint } = await verifyReceipt(text, this.#keys);
      assert.equal(rootOver(this.#entries.slice(0, checkpoint.size)).toString('base64'), checkpoint.root);
    }
  }
}

/**
 * The Merkle tree of RFC 6962 over the decision ids of a line of a statement, which proves each of them alone. Memory
 * grows with a 256th of the ids, and only for a proof.
 */
import { Buffer } from 'node:buffer';
import { DECISION_ID_LENGTH, DECISION_LINE } from '../../decisions/ledger/decision-ids.ts';
import { append, type Edge, edgeRoot, proveInclusion, sha256, TILE } from '../../lib/merkle.ts';

/** The tree over ids: each is a leaf. */
export class IdTree {
  readonly #edge: Edge = { size: 0, levels: [] };
  readonly #proven: Buffer | null;
  /** For the proof, full ones. Of the ids themselves, only the tile of the proven one. */
  readonly #tiles = new Map<string, readonly Buffer[]>();
  /** A leaf: zero, then the id. */
  readonly #leaf = Buffer.alloc(1 + DECISION_ID_LENGTH);
  #index = -1;

  /** `proven`: the id whose way to the root will be asked for. */
  constructor(proven?: string) {
    this.#proven = proven === undefined ? null : Buffer.from(proven);
  }

  /** Adds ids, each followed by a line feed. */
  add(lines: Uint8Array): void {
    const leaves: Buffer[] = [];
    for (let offset = 0; offset < lines.length; offset += DECISION_LINE) {
      const id = lines.subarray(offset, offset + DECISION_ID_LENGTH);
      if (this.#proven?.equals(id) === true) this.#index = this.#edge.size + leaves.length;
      this.#leaf.set(id, 1);
      leaves.push(sha256(this.#leaf));
    }
    const tiles = append(this.#edge, leaves);
    if (this.#proven === null) return;
    for (const { level, no, hashes } of tiles) {
      if (level > 0 || no === Math.floor(this.#index / TILE)) this.#tiles.set(`${level}/${no}`, hashes);
    }
  }

  root(): string {
    return edgeRoot(this.#edge).toString('base64');
  }

  /** Returns undefined where the proven id was not added. */
  async findPath(): Promise<{ index: number; hashes: string[] } | undefined> {
    if (this.#index === -1) return undefined;
    const { levels, size } = this.#edge;
    const read = async (level: number, no: number): Promise<readonly Buffer[]> => {
      const isOpen = no === Math.floor(size / TILE ** (level + 1));
      return (isOpen ? levels[level] : this.#tiles.get(`${level}/${no}`)) ?? [];
    };
    const hashes = await proveInclusion(read, this.#index, size);
    return { index: this.#index, hashes: hashes.map((hash) => hash.toString('base64')) };
  }
}

/** Reads the lists of licensed decisions, in ClickHouse's binary format. */
import type { LicensedLists } from '../columns/reader.ts';

const HIGH = 4_294_967_296;
const [INT32, INT64] = [4, 8];

/** Each row has two numbers, and two or three lists of one length: numbers, times, and items. */
export function readLists(bytes: Buffer, contents: boolean): LicensedLists {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const { groups, starts, total } = findLists(view, contents ? [INT64, INT64, INT32] : [INT64, INT64]);
  const seq = new Float64Array(total);
  const at = new Float64Array(total);
  const content = new Int32Array(contents ? total : 0);
  let to = 0;
  for (const [i, { count }] of groups.entries()) {
    const [seqs = 0, times = 0, contentsFrom = 0] = starts[i] as number[];
    readInt64s(view, seqs, seq.subarray(to, to + count));
    readInt64s(view, times, at.subarray(to, to + count));
    for (let n = 0; contents && n < count; n++) content[to + n] = view.getInt32(contentsFrom + INT32 * n, true);
    to += count;
  }
  return { groups, seq, at, content };
}

/** A big integer for each would take longer than the query. */
function readInt64s(view: DataView, from: number, target: Float64Array): void {
  for (let i = 0, at = from; i < target.length; i++, at += INT64) {
    target[i] = view.getInt32(at + INT32, true) * HIGH + view.getUint32(at, true);
  }
}

/** Returns the groups, and where the lists of each begin. */
function findLists(
  view: DataView,
  sizes: readonly number[],
): { groups: LicensedLists['groups']; starts: number[][]; total: number } {
  const groups: LicensedLists['groups'] = [];
  const starts: number[][] = [];
  let [at, total] = [0, 0];
  /** A number of seven bits a byte, the lowest first. */
  const readCount = (): number => {
    let [value, scale] = [0, 1];
    for (;;) {
      const byte = view.getUint8(at++);
      value += (byte % 128) * scale;
      if (byte < 128) return value;
      scale *= 128;
    }
  };
  while (at < view.byteLength) {
    const [license, purpose] = [view.getInt32(at, true), view.getInt32(at + INT32, true)];
    at += 2 * INT32;
    let count = 0;
    const own = sizes.map((size) => {
      count = readCount();
      const start = at;
      at += count * size;
      return start;
    });
    groups.push({ license, purpose, count });
    starts.push(own);
    total += count;
  }
  return { groups, starts, total };
}

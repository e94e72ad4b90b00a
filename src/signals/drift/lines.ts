/** The lines of two files beside each other, without long parts that are alike. Pure. */
import { diff } from 'node:util';

/** `intended`: only in the intended file; `live`: only in the live one; `gap`: lines that are left out. */
export const LINE_KINDS = ['same', 'intended', 'live', 'gap'] as const;

export interface Line {
  kind: (typeof LINE_KINDS)[number];
  text: string;
}

const CONTEXT = 3;
/** Lines of each file that are compared, after those at the beginning and the end that are alike. */
const COMPARED_MAX = 400;
const SHOWN_MAX = 300;
const LENGTH_MAX = 500;

/** Returns no lines for texts that are equal but for the ends of their lines. */
export function toLines(intended: string, live: string): Line[] {
  if (intended === live) return [];
  const [one, other] = [splitLines(intended), splitLines(live)];
  const least = Math.min(one.length, other.length);
  let before = 0;
  while (before < least && one[before] === other[before]) before++;
  let after = 0;
  while (after < least - before && one.at(-1 - after) === other.at(-1 - after)) after++;
  const [a, b] = [one, other].map((lines) => lines.slice(before, lines.length - after)) as [string[], string[]];
  // Only the ends of lines differ.
  if (a.length + b.length === 0) return [];
  const middle = diff(b.slice(0, COMPARED_MAX), a.slice(0, COMPARED_MAX)).map(
    ([kind, text]): Line => ({ kind: kind === 0 ? 'same' : kind === 1 ? 'live' : 'intended', text }),
  );
  const isCut = Math.max(a.length, b.length) > COMPARED_MAX;
  const rest: Line[] = isCut ? [{ kind: 'gap', text: 'The rest is not compared line by line.' }] : [];
  const same = (lines: readonly string[]): Line[] => lines.map((text) => ({ kind: 'same', text }));
  const all = [
    ...same(one.slice(0, before)),
    ...middle,
    ...rest,
    ...(isCut ? [] : same(one.slice(one.length - after))),
  ];
  return withoutLongParts(all)
    .slice(0, SHOWN_MAX)
    .map(({ kind, text }) => ({ kind, text: text.slice(0, LENGTH_MAX) }));
}

/** A line break at the end ends the last line. */
const splitLines = (text: string): string[] => text.replace(/(?:\r\n|\r|\n)$/, '').split(/\r\n|\r|\n/);

function withoutLongParts(lines: readonly Line[]): Line[] {
  const isNear = new Uint8Array(lines.length);
  for (const [i, { kind }] of lines.entries()) {
    if (kind !== 'same') isNear.fill(1, Math.max(0, i - CONTEXT), i + CONTEXT + 1);
  }
  const shown: Line[] = [];
  let left = 0;
  const close = (): void => {
    if (left > 0) shown.push({ kind: 'gap', text: left === 1 ? '1 line' : `${left} lines` });
    left = 0;
  };
  for (const [i, line] of lines.entries()) {
    if (isNear[i] === 0) left++;
    else {
      close();
      shown.push(line);
    }
  }
  close();
  return shown;
}

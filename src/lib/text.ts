/** Small facts about text, without product words. */

/** Edit distance of Damerau and Levenshtein (adjacent swaps count one), bounded by the shorter of 64 characters. */
function distance(a: string, b: string): number {
  let before: number[] = [];
  let above = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let best = Math.min((above[j] as number) + 1, (row[j - 1] as number) + 1, (above[j - 1] as number) + same);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        best = Math.min(best, (before[j - 2] as number) + 1);
      }
      row.push(best);
    }
    before = above;
    above = row;
  }
  return above[b.length] as number;
}

/**
 * Returns the known name most like `name`, or undefined when none is near enough to be what was meant. `farthest`: the
 * distance up to which a name is taken to be meant.
 */
export function nearest(name: string, known: Iterable<string>, farthest = usualFarthest): string | undefined {
  if (name.length > 64) return undefined;
  const wanted = name.toLowerCase().replaceAll(/[_-]/g, '');
  let best: string | undefined;
  let least = Infinity;
  for (const candidate of known) {
    const plain = candidate.toLowerCase().replaceAll(/[_-]/g, '');
    // The difference in length is the least that the distance can be.
    if (Math.abs(plain.length - wanted.length) > farthest(candidate)) continue;
    const far = distance(wanted, plain);
    if (far < least) {
      least = far;
      best = candidate;
    }
  }
  return best !== undefined && least <= farthest(best) ? best : undefined;
}

const usualFarthest = (name: string): number => Math.max(2, Math.floor(name.length * 0.4));

/** The words of a text for searching: case and accents folded, everything but letters and digits a space. */
export function words(text: string): string[] {
  const folded = toLowerLetters(text.normalize('NFKD').replaceAll(/\p{M}/gu, ''));
  return folded.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
}

/** Characters as a reader of the documentation counts them: Unicode code points. */
export function countCharacters(text: string): number {
  let count = text.length;
  for (let i = 0; i < text.length - 1; i++) {
    if ((text.charCodeAt(i) & 0xfc00) === 0xd800 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00) {
      count--;
      i++;
    }
  }
  return count;
}

/**
 * Lowercases letter by letter, so that substrings stay substrings. `toLowerCase` alone maps a sigma at the end of a
 * word differently: "ΟΔΟΣ" would not be found in "ΟΔΟΣBot".
 */
export const toLowerLetters = (text: string): string => text.toLowerCase().replaceAll('ς', 'σ');

/** Returns whether a text can be stored: well-formed UTF-16 without NUL. */
export const isText = (text: string): boolean => text.isWellFormed() && !text.includes('\0');

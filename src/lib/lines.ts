/** Reads a few short lines, such as an address. */
const LINES_MAX = 10;
const LINE_MAX = 100;

/** Splits a text at line breaks and semicolons. Throws a sentence that says what to do instead. */
export function readLines(text: string): string[] {
  const lines = text
    .split(/[;\n]/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
  if (lines.length > LINES_MAX || lines.some((line) => line.length > LINE_MAX || /\p{Cc}/u.test(line))) {
    throw new Error(`must have at most ${LINES_MAX} lines of ${LINE_MAX} characters, without control characters`);
  }
  return lines;
}

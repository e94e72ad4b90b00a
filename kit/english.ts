/**
 * Finds sentences that break the style of the project in comments, in the text people see, and in pages.
 *
 *   node kit/english.ts src/rules docs       # prints faults; exits with 1 when there are any
 */
import { globSync, readFileSync, statSync } from 'node:fs';
import { parseSync } from 'oxc-parser';

const WIDTH_MAX = 120;

/** Words that a docstring or a sentence of a page never begins with: their noun is missing. */
const HEADLESS = /^(what|who|whom|whose|whether|how|of|as|one|ones|those|that|it|they|by whom|to whom)\b(?![:-])/i;

/** Wording to replace, with the words to use. */
const WORDING: readonly (readonly [wrong: RegExp, right: string])[] = [
  [/\bunder way\b/i, 'in flight, running'],
  [/\bof yesterday\b/i, 'stale'],
  [/\b(go|goes|going|gone|went) on with\b/i, 'continue, resume'],
  [/\bsmall letters?\b/i, 'lowercase'],
  [/\b(capital|big) letters?\b/i, 'uppercase'],
  [/\bwr(?:ite|ites|itten|ote|iting) over\b/i, 'overwrite'],
  [/\bwr(?:ite|ites|itten|ote|iting) (?:it |them |this )?down\b/i, 'log, record'],
  [/\bstand(?:s|ing)? before\b|\bstood before\b/i, 'shadow, precede'],
  [/\bthe truth\b/i, 'the database, the source of truth'],
  [/\b(?:hear|hears|heard|hearing) of\b/i, 'receive, learn of'],
  [/\b(?:let|lets|letting) (?:\w+ )?go\b/i, 'release, shut down'],
  [/\b(?:told|tell|tells|telling)\b/i, 'notify, return, report, show'],
  [/\b(?:nobody|somebody|whoever|whatever)\b/i, 'name the noun'],
  [/\bmoments?\b/i, 'time, timestamp'],
  [/\blanes?\b/i, 'queue'],
  [/\b(?:try|tries|tried|trying) (?:it |them )?again\b/i, 'retry'],
  [/\b(?:no|not) (?:\w+ )?any ?more\b/i, 'no longer'],
  [/\b(?:is|are|was|were) not to be\b/i, 'cannot, must not'],
  [/\bwho ask(?:s|ed)?\b/i, 'the requester, the caller'],
  [/\bat a sitting\b|\bat one go\b|\bgives? way\b/i, 'in one turn; yields'],
  [/\bto be seen\b|\bis to say\b/i, 'visible; say what it is'],
  [/\bso and so (?:many|much)\b|\bas many as there are\b/i, 'all'],
  [/\btwice over\b|\bthe one and the other\b/i, 'twice; name both'],
  [/\blicenc(?:e|es|ed|ing)\b/i, 'license'],
  [/\b(?:colour|behaviour|honour|favour|neighbour|labour)/i, 'American spelling'],
  [/\b(?:centre|metre|catalogue|grey|whilst|amongst)s?\b/i, 'American spelling'],
  [
    /\b(?:organ|recogn|serial|normal|initial|author|summar|minim|maxim|optim|canonical|categor|synchron|custom|final|real|util|general|special|token|emphas|apolog)is(?:e|es|ed|ing|ation|er|ers)\b/i,
    'American spelling',
  ],
  [/\b(?:cancelled|cancelling|labelled|labelling|modelled|travelled|signalled)\b/i, 'American spelling'],
];

/** A sentence to rewrite; `line` counts from 1. */
export interface Fault {
  file: string;
  line: number;
  problem: string;
}

interface Piece {
  text: string;
  /** Offset in the file. */
  start: number;
  kind: 'docstring' | 'comment' | 'text';
}

/** Finds the faults of one file: TypeScript or Markdown. */
export function findFaults(file: string, source: string): Fault[] {
  const lines = lineStarts(source);
  const isPage = file.endsWith('.md');
  const worded = (isPage ? paragraphs(source) : codePieces(file, source)).flatMap((piece) =>
    problemsOf(piece).map(({ offset, problem }) => ({ file, line: lineAt(lines, piece.start + offset), problem })),
  );
  const wide = (isPage ? withoutBlocks(source) : source).split('\n').flatMap((line, index) => {
    if (line.length <= WIDTH_MAX || !isProse(file, line)) return [];
    return [{ file, line: index + 1, problem: `${line.length} columns wide; wrap at ${WIDTH_MAX}` }];
  });
  return [...worded, ...wide].toSorted((a, b) => a.line - b.line);
}

function problemsOf({ kind, text }: Piece): { offset: number; problem: string }[] {
  const [first = ''] = /[\p{L}`'"].*/u.exec(text) ?? [];
  const isHeadless = kind === 'docstring' && HEADLESS.test(first);
  const headless = { offset: 0, problem: `begins with "${first.split(/\s/)[0]}": name the noun or begin with a verb` };
  const wording = WORDING.flatMap(([wrong, right]) => {
    const found = wrong.exec(text);
    return found === null ? [] : [{ offset: found.index, problem: `"${found[0]}": ${right}` }];
  });
  return isHeadless ? [headless, ...wording] : wording;
}

const isProse = (file: string, line: string): boolean =>
  file.endsWith('.md')
    ? !/^\s*(\||#|\[|<|!\[|$)|https?:\/\/\S{60}/.test(line) && !/^( {4}|\t)\S/.test(line)
    : /^\s*(\*|\/\/|\/\*)/.test(line);

function codePieces(file: string, source: string): Piece[] {
  const { program, comments } = parseSync(file, source);
  const found: Piece[] = comments.map(({ type, value, start }) => ({
    text: value.replaceAll(/\s*\n\s*\* ?/g, (space: string) => ' '.padEnd(space.length)),
    start,
    kind: type === 'Block' && value.startsWith('*') ? 'docstring' : 'comment',
  }));
  if (!/(^|\/)(test|proof|bench|kit)\/|\.test\.ts$/.test(file)) collectText(program, found);
  return found;
}

/** Collects the text that a person may read: string literals, templates and JSX. */
function collectText(node: unknown, found: Piece[]): void {
  if (Array.isArray(node)) {
    for (const one of node) collectText(one, found);
    return;
  }
  if (typeof node !== 'object' || node === null) return;
  const { type, start } = node as { type?: string; start: number };
  if (type === 'ImportDeclaration' || type === 'TSLiteralType') return;
  const text = readText(node);
  if (typeof text === 'string' && /\s/.test(text.trim())) found.push({ text, start, kind: 'text' });
  for (const [key, child] of Object.entries(node)) if (key !== 'value' || type !== 'Literal') collectText(child, found);
}

/** Reads the text of a node of these kinds; undefined for others. */
function readText({ type, value }: { type?: string; value?: unknown }): unknown {
  if (type === 'Literal' || type === 'JSXText') return value;
  return type === 'TemplateElement' ? (value as { cooked: string | null }).cooked : undefined;
}

/** A page without its code blocks and code spans, at the same offsets. */
function paragraphs(source: string): Piece[] {
  const prose = withoutBlocks(source).replaceAll(/`[^`\n]*`/g, (code) => ' '.repeat(code.length));
  return [...prose.matchAll(/[^\n]+/g)].map(({ 0: text, index }) => ({ text, start: index, kind: 'comment' }));
}

/** Blanks the code blocks of a page: a line of code is as wide as its reader needs to copy it. */
const withoutBlocks = (page: string): string =>
  page.replaceAll(/^```[\s\S]*?^```/gm, (block) => block.replaceAll(/[^\n]/g, ' '));

function lineStarts(source: string): number[] {
  const starts = [0];
  for (let i = source.indexOf('\n'); i !== -1; i = source.indexOf('\n', i + 1)) starts.push(i + 1);
  return starts;
}

const lineAt = (starts: readonly number[], offset: number): number => starts.filter((start) => start <= offset).length;

/** The files below `paths` that hold sentences of ours. */
export const filesIn = (paths: readonly string[]): string[] =>
  paths
    .flatMap((path) => (statSync(path).isDirectory() ? globSync(`${path}/**/*.{ts,tsx,md}`) : [path]))
    .filter((file) => !/node_modules|\/generated\/|(^|\/)dist\/|kit\/english\.ts$|bench\/RESULTS\.md$/.test(file))
    .toSorted();

if (import.meta.main) {
  const faults = filesIn(process.argv.slice(2)).flatMap((file) => findFaults(file, readFileSync(file, 'utf8')));
  for (const { file, line, problem } of faults) process.stdout.write(`${file}:${line} ${problem}\n`);
  process.exitCode = faults.length > 0 ? 1 : 0;
}

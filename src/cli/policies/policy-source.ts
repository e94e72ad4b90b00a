/**
 * Parses the text of a policy file as YAML 1.2, which includes JSON, and finds the line of each field. No message
 * quotes the file, because it may be a link to a secret.
 */
import { type Document, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml';
import { pathTo } from '../../api/http/json.ts';

/** The file is not valid YAML, JSON or UTF-8. */
export class UnreadablePolicy extends Error {}

export interface PolicySource {
  /** The first fault of the text, with its line and column. */
  fault: { message: string; at: string } | undefined;
  /** Throws `Unreadable` for a faulty text. `no` and dates are strings. */
  value(): unknown;
  /** Returns the line, from 1, of the field at this path, or of its nearest parent. */
  lineOf(param: string): number | undefined;
}

/** Parses the text. The parser's warnings count as faults. */
export function parseSource(text: string): PolicySource {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, prettyErrors: false, version: '1.2', schema: 'core' });
  const [found] = [...document.errors, ...document.warnings];
  const position = (offset: number): string => {
    const { line, col } = lineCounter.linePos(offset);
    return `line ${line}, column ${col}`;
  };
  const fault = found && {
    message: found.code === 'MULTIPLE_DOCS' ? 'it holds several documents; keep one' : unquoted(found.message),
    at: position(found.pos[0]),
  };
  return {
    fault,
    value() {
      if (fault !== undefined)
        throw new UnreadablePolicy(`The file is not valid YAML: ${fault.message} (${fault.at}).`);
      return toValue(document);
    },
    lineOf(param) {
      const offset = findOffset(document.contents, '', param);
      return offset === undefined ? undefined : lineCounter.linePos(offset).line;
    },
  };
}

function toValue(document: Document): unknown {
  try {
    return document.toJS();
  } catch (error) {
    // An alias is undefined, or expands a small file into a huge one.
    throw new UnreadablePolicy(`The file is not valid YAML: ${unquoted((error as Error).message)}.`);
  }
}

/** Removes the parts of the parser's message that may quote the file: after a colon, or in quotes. */
const unquoted = (message: string): string =>
  message
    .replace(/:\s.*$/s, '')
    .replaceAll(/(["'`]).*\1/gs, 'this')
    .replaceAll(/\s+/g, ' ')
    .replace(/[.\s]+$/, '');

/** Returns the offset of the field at `param` below `node`, whose own path is `at`. */
function findOffset(node: unknown, at: string, param: string): number | undefined {
  const start = (node as Node | null)?.range?.[0];
  if (at === param) return start;
  for (const { path, value, offset } of listChildren(node, at)) {
    if (path === param) return offset ?? start;
    if (isWithin(path, param)) return findOffset(value, path, param) ?? start;
  }
  return start;
}

interface Child {
  path: string;
  value: unknown;
  offset: number | undefined;
}

function listChildren(node: unknown, at: string): Child[] {
  if (isSeq(node)) {
    return node.items.map((value, i) => ({ path: pathTo(at, i), value, offset: (value as Node | null)?.range?.[0] }));
  }
  if (!isMap(node)) return [];
  return node.items.map(({ key, value }) => ({
    path: pathTo(at, isScalar(key) ? String(key.value) : ''),
    value,
    offset: (key as Node | null)?.range?.[0],
  }));
}

const isWithin = (path: string, param: string): boolean =>
  param.startsWith(path) && (param[path.length] === '.' || param[path.length] === '[');

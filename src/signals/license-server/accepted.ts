/**
 * Compares licenses by meaning. Pure. Promise: two are equal only if a reader of RSL finds the same in both; neither
 * order, spaces nor the writing of characters counts. A document type is refused, so no entity is ever defined.
 */
import { SaxesParser } from 'saxes';
import { FORMATS } from '../table/words.ts';

/** Characters of a license. */
export const LICENSE_MAX = 16_384;
const DEPTH_MAX = 10;

interface Element {
  name: string;
  attributes: string[];
  text: string;
  children: string[];
}

/** Returns a text that equal licenses share; undefined for a text that is no element `license`. */
export function readLicense(xml: string): string | undefined {
  if (xml.length > LICENSE_MAX) return undefined;
  const open: Element[] = [];
  let root: string | undefined;
  const parser = new SaxesParser({ xmlns: true });
  parser.on('doctype', refuse);
  parser.on('processinginstruction', refuse);
  parser.on('opentag', ({ local, uri, attributes }) => {
    if (open.length === DEPTH_MAX) refuse();
    const own = Object.values(attributes).filter(({ prefix, name }) => prefix !== 'xmlns' && name !== 'xmlns');
    open.push({
      name: toName(local, uri),
      attributes: own.map(({ uri: space, local: key, value }) => JSON.stringify([space, key, value])),
      text: '',
      children: [],
    });
  });
  const addText = (text: string): void => {
    const last = open.at(-1);
    if (last !== undefined) last.text += text;
  };
  parser.on('text', addText);
  parser.on('cdata', addText);
  parser.on('closetag', () => {
    const element = open.pop() as Element;
    const written = writeElement(element);
    const above = open.at(-1);
    if (above !== undefined) above.children.push(written);
    else if (element.name === 'license') root = written;
  });
  try {
    parser.write(xml).close();
  } catch {
    return undefined;
  }
  return root;
}

/** Stops the parser, which passes on what its handlers throw. */
function refuse(): never {
  throw new Error('refused');
}

/** Clients cut an element out of the file, without the declaration of its namespace. */
const toName = (local: string, uri: string): string =>
  uri === '' || uri === FORMATS.rsl.namespace ? local : `{${uri}}${local}`;

/** Elements whose text is a list of words in any order. */
const LISTS: ReadonlySet<string> = new Set(['permits', 'prohibits']);

function writeElement({ name, attributes, text, children }: Element): string {
  const words = text.split(/\s+/).filter((word) => word !== '');
  const said = LISTS.has(name) ? [...new Set(words)].toSorted() : words;
  return JSON.stringify([name, attributes.toSorted(), said.join(' '), children.toSorted()]);
}

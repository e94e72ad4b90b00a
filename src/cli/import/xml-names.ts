/**
 * Names of XML elements without the prefixes that a document chooses. Promise: an element of the namespace of the root
 * has its bare name, one of a known namespace the usual prefix of it, and any other its name as it is written.
 */

/** The usual prefixes, by namespace. Documents without declarations use them, too. */
const USUAL: Record<string, string> = {
  'http://www.google.com/schemas/sitemap-news/0.9': 'news',
  'http://www.google.com/schemas/sitemap-video/1.1': 'video',
  'http://purl.org/dc/elements/1.1/': 'dc',
  'http://www.w3.org/1999/02/22-rdf-syntax-ns#': 'rdf',
};
/** RSS 1.0 has another namespace than its root. */
const RSS = 'http://purl.org/rss/1.0/';

export class XmlNames {
  /** Namespaces by the prefixes that stand for them; '' is the default. */
  readonly #declared = new Map<string, string>();
  /** The namespace or, without a declaration, the prefix of the root. */
  #root: string | undefined;

  /** Call for each element that opens, in order. */
  declare(name: string, attributes: Record<string, string>): void {
    for (const [attribute, value] of Object.entries(attributes)) {
      if (attribute === 'xmlns') this.#declared.set('', value);
      if (attribute.startsWith('xmlns:')) this.#declared.set(attribute.slice('xmlns:'.length), value);
    }
    this.#root ??= this.#spaceOf(prefixOf(name));
  }

  of(name: string): string {
    const prefix = prefixOf(name);
    if (prefix === '') return name;
    const local = name.slice(prefix.length + 1);
    const space = this.#spaceOf(prefix);
    const usual = USUAL[space];
    if (usual !== undefined) return `${usual}:${local}`;
    // Without a declaration, a prefix is its own namespace.
    return space === RSS || (space === this.#root && space !== 'rdf') ? local : name;
  }

  #spaceOf(prefix: string): string {
    return this.#declared.get(prefix) ?? prefix;
  }
}

const prefixOf = (name: string): string => name.slice(0, Math.max(0, name.indexOf(':')));

/**
 * Searches for many texts inside another at once. Promise: a search costs at most the length of the searched text times
 * that of the longest known text, for any number of texts. Adding or removing a text costs its own length, and memory
 * for two nodes.
 */

/** An edge of the tree: the characters between two branches or ends. */
interface Node<V> {
  label: string;
  /** By the first character of their labels. */
  children: Map<number, Node<V>>;
  /** The value of the text that ends here. */
  value: V | undefined;
}

const newNode = <V>(label: string, value: V | undefined): Node<V> => ({ label, children: new Map(), value });

/** A match: the value of a text, and its length. */
export interface TrieMatch<V> {
  value: V;
  length: number;
}

export class TextTrie<V extends {}> {
  readonly #root = newNode<V>('', undefined);

  get(text: string): V | undefined {
    return this.#pathTo(text)?.at(-1)?.value;
  }

  /** Texts are not empty. */
  set(text: string, value: V): void {
    let node = this.#root;
    let at = 0;
    while (at < text.length) {
      const child = node.children.get(text.charCodeAt(at));
      if (child === undefined) {
        node.children.set(text.charCodeAt(at), newNode(text.slice(at), value));
        return;
      }
      const shared = sharedLength(child.label, text, at);
      node = shared === child.label.length ? child : split(node, child, shared);
      at += shared;
    }
    node.value = value;
  }

  delete(text: string): void {
    const path = this.#pathTo(text);
    const node = path?.pop();
    if (path === undefined || node === undefined) return;
    node.value = undefined;
    const parent = path.pop() ?? this.#root;
    if (node.children.size > 0) join(node);
    else {
      parent.children.delete(node.label.charCodeAt(0));
      if (parent !== this.#root) join(parent);
    }
  }

  /** Returns the values of all known texts in this one, each once. */
  allIn(text: string): ReadonlySet<V> {
    const values = new Set<V>();
    for (let start = 0; start < text.length; start++) {
      this.#walk(text, start, (value) => values.add(value));
    }
    return values;
  }

  /** Returns the longest known text that begins at this index and may end where it ends. */
  longestFrom(text: string, start: number, mayEnd: (text: string, at: number) => boolean): TrieMatch<V> | undefined {
    let found: TrieMatch<V> | undefined;
    this.#walk(text, start, (value, end) => {
      if (mayEnd(text, end)) found = { value, length: end - start };
    });
    return found;
  }

  /** Returns the values of all known texts with which this one begins, the longest last. */
  startsOf(text: string): V[] {
    const values: V[] = [];
    this.#walk(text, 0, (value) => values.push(value));
    return values;
  }

  /** Takes the values of all known texts that begin at this index, and where they end; the longest last. */
  #walk(text: string, start: number, take: (value: V, end: number) => unknown): void {
    let at = start;
    let node = this.#root.children.get(text.charCodeAt(at));
    while (node !== undefined && text.startsWith(node.label, at)) {
      at += node.label.length;
      if (node.value !== undefined) take(node.value, at);
      node = node.children.get(text.charCodeAt(at));
    }
  }

  /** Returns the path of nodes to the end of the text; undefined if there is none. */
  #pathTo(text: string): Node<V>[] | undefined {
    const path: Node<V>[] = [];
    let at = 0;
    let node: Node<V> | undefined = this.#root;
    while (at < text.length) {
      node = node.children.get(text.charCodeAt(at));
      if (node === undefined || !text.startsWith(node.label, at)) return undefined;
      path.push(node);
      at += node.label.length;
    }
    return path;
  }
}

function sharedLength(label: string, text: string, at: number): number {
  let shared = 1;
  while (shared < label.length && label.charCodeAt(shared) === text.charCodeAt(at + shared)) shared++;
  return shared;
}

/** Splits an edge after this many characters of the child's label. */
function split<V>(parent: Node<V>, child: Node<V>, at: number): Node<V> {
  const between = newNode<V>(child.label.slice(0, at), undefined);
  parent.children.set(between.label.charCodeAt(0), between);
  child.label = child.label.slice(at);
  between.children.set(child.label.charCodeAt(0), child);
  return between;
}

/** A node where nothing ends and nothing parts is one with the node behind it. */
function join<V>(node: Node<V>): void {
  const [only] = node.children.values();
  if (only === undefined || node.children.size > 1 || node.value !== undefined) return;
  node.label += only.label;
  node.children = only.children;
  node.value = only.value;
}

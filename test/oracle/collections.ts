/**
 * The most specific collection, decided a second time: every collection is tried, every pattern walked octet by octet.
 * Slow and plain; shares no code with the index.
 */
/** The fields of a collection that say what is in it, and which of two is the older. */
export interface OracleCollection {
  id: string;
  hosts: readonly string[];
  paths: readonly string[];
  contentTypes: readonly string[];
  contentTags: readonly string[];
  createdAt: number;
}

export interface OracleSubject {
  /** undefined: the item has no address. */
  url: { host: string; path: string; query: string } | undefined;
  item: { type: string; tags: readonly string[] } | null;
}

/** An octet, any octets, or the end of the text. */
type Token = number | '*' | '$';

const PATH_PLAIN = new Set(
  Buffer.from("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!$&'()*+,;=:@/"),
);
const QUERY_PLAIN = new Set([...PATH_PLAIN, 0x3f].filter((octet) => octet !== 0x2b));

function octetsOf(text: string, isQuery: boolean): number[] {
  const octets: number[] = [];
  for (let i = 0; i < text.length; ) {
    if (/^%[0-9a-fA-F]{2}/.test(text.slice(i))) {
      octets.push(Number.parseInt(text.slice(i + 1, i + 3), 16));
      i += 3;
    } else {
      const character = String.fromCodePoint(text.codePointAt(i) as number);
      octets.push(...Buffer.from(isQuery && character === '+' ? ' ' : character));
      i += character.length;
    }
  }
  return octets;
}

function tokensOf(text: string, isQuery: boolean): Token[] {
  const tokens: Token[] = [];
  for (const part of text.split(/(\*)/)) {
    if (part !== '*') tokens.push(...octetsOf(part, isQuery));
    else if (tokens.at(-1) !== '*') tokens.push('*');
  }
  return tokens;
}

const lengthOf = (tokens: readonly Token[], plain: ReadonlySet<number>): number =>
  tokens.reduce<number>((sum, token) => sum + (typeof token === 'string' || plain.has(token) ? 1 : 3), 0);

function walks(tokens: readonly Token[], octets: readonly number[]): boolean {
  // All numbers of octets that the tokens so far can take.
  let taken = new Set([0]);
  for (const token of tokens) {
    const next = new Set<number>();
    for (const at of taken) {
      if (token === '$') {
        if (at === octets.length) next.add(at);
      } else if (token === '*') {
        for (let i = at; i <= octets.length; i++) next.add(i);
      } else if (octets[at] === token) next.add(at + 1);
    }
    taken = next;
  }
  return taken.size > 0;
}

/** The length of the pattern if it matches, else undefined. */
export function matchLength(pattern: string, url: NonNullable<OracleSubject['url']>): number | undefined {
  const isEnd = pattern.endsWith('$');
  const text = isEnd ? pattern.slice(0, -1) : pattern;
  const end: Token[] = isEnd ? ['$'] : [];
  const mark = text.indexOf('?');
  const path = [...Buffer.from(url.path)];
  const pathTokens = tokensOf(mark === -1 ? text : text.slice(0, mark), false);
  if (mark === -1) {
    return walks([...pathTokens, ...end], path) ? lengthOf([...pathTokens, ...end], PATH_PLAIN) : undefined;
  }
  const queryTokens = [...tokensOf(text.slice(mark + 1), true), ...end];
  const matches =
    url.query !== '' && walks([...pathTokens, '$'], path) && walks(queryTokens, octetsOf(url.query, true));
  return matches ? lengthOf(pathTokens, PATH_PLAIN) + 1 + lengthOf(queryTokens, QUERY_PLAIN) : undefined;
}

/** A name in one spelling, or such a name after `*.`. */
export const plainHost = (text: string): string =>
  text
    .toLowerCase()
    .replace(/:(80|443)$/, '')
    .replace(/\.(?=$|:)/, '');

export function hostRank(hosts: readonly string[], host: string): number | undefined {
  const plain = hosts.map(plainHost);
  if (plain.includes(host)) return 2;
  return plain.some((one) => one.startsWith('*.') && host.length > one.length - 1 && host.endsWith(one.slice(1)))
    ? 1
    : undefined;
}

type Rank = [octets: number, host: number, selectors: number, minusCreated: number];

function rankOf(collection: OracleCollection, { url, item }: OracleSubject): Rank | undefined {
  const { hosts, paths, contentTypes, contentTags } = collection;
  const ofTheItem: boolean[] = [];
  if (contentTypes.length > 0) ofTheItem.push(contentTypes.some((type) => type === item?.type));
  if (contentTags.length > 0) ofTheItem.push(contentTags.some((tag) => item?.tags.includes(tag)));
  if (ofTheItem.includes(false)) return undefined;
  const rank: Rank = [0, 0, ofTheItem.length, -collection.createdAt];
  if (hosts.length > 0) {
    const found = url && hostRank(hosts, url.host);
    if (found === undefined) return undefined;
    rank[1] = found;
    rank[2]++;
  }
  if (paths.length > 0) {
    const lengths = url === undefined ? [] : paths.flatMap((path) => matchLength(path, url) ?? []);
    if (lengths.length === 0) return undefined;
    rank[0] = Math.max(...lengths);
    rank[2]++;
  }
  return rank;
}

/** The ranks of all collections the subject is in, best first. */
export function ranked<C extends OracleCollection>(collections: readonly C[], subject: OracleSubject) {
  const found = collections.flatMap((collection) => {
    const rank = rankOf(collection, subject);
    return rank === undefined ? [] : [{ collection, rank }];
  });
  return found.toSorted((a, b) => {
    for (const [i, value] of a.rank.entries()) if (value !== b.rank[i]) return (b.rank[i] as number) - value;
    return a.collection.id < b.collection.id ? -1 : 1;
  });
}

export const mostSpecific = <C extends OracleCollection>(
  collections: readonly C[],
  subject: OracleSubject,
): C | undefined => ranked(collections, subject)[0]?.collection;

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
  urls?: OracleUrls;
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

/** The rules of a host that say which URLs are one file. */
export interface OracleUrls {
  case: 'sensitive' | 'ignored';
  finalSlash: 'significant' | 'ignored';
  index: readonly string[];
}

export const USUAL: OracleUrls = {
  case: 'sensitive',
  finalSlash: 'ignored',
  index: ['index.html', 'index.htm', 'index.php'],
};

const small = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

/** All paths of one file: every step from one spelling to the next, until there is no new one. */
export function filePaths(path: string, urls: OracleUrls): string[] {
  const isIndex = (name: string): boolean =>
    urls.index.some((one) => (urls.case === 'ignored' ? small(one) === small(name) : one === name));
  const isFolderName = (name: string): boolean => name !== '' && !name.includes('.') && !isIndex(name);
  const steps = (one: string): string[] => {
    const [name = ''] = one.split('/').slice(-1);
    const [folder = ''] = one.split('/').slice(-2, -1);
    const ignoresSlash = urls.finalSlash === 'ignored';
    return [
      ...(name === '' ? urls.index.map((index) => one + index) : []),
      ...(isIndex(name) ? [one.slice(0, one.length - name.length)] : []),
      ...(ignoresSlash && isFolderName(name) ? [`${one}/`] : []),
      ...(ignoresSlash && name === '' && isFolderName(folder) ? [one.slice(0, -1)] : []),
    ];
  };
  const found = new Set([path]);
  for (const one of found) for (const next of steps(one)) found.add(next);
  return [...found];
}

/** The length of the pattern if it matches, else undefined. */
export function matchLength(
  pattern: string,
  url: NonNullable<OracleSubject['url']>,
  urls: OracleUrls = USUAL,
): number | undefined {
  const isEnd = pattern.endsWith('$');
  const text = isEnd ? pattern.slice(0, -1) : pattern;
  const end: Token[] = isEnd ? ['$'] : [];
  const mark = text.indexOf('?');
  const pathTokens = tokensOf(mark === -1 ? text : text.slice(0, mark), false);
  const length = lengthOf(pathTokens, PATH_PLAIN);
  const isFile = (tokens: readonly Token[]): boolean =>
    filePaths(url.path, urls).some((path) =>
      urls.case === 'sensitive'
        ? walks(tokens, [...Buffer.from(path)])
        : walks(tokens.map(smallToken), [...Buffer.from(small(path))]),
    );
  if (mark === -1) return isFile([...pathTokens, ...end]) ? length + end.length : undefined;
  const queryTokens = [...tokensOf(text.slice(mark + 1), true), ...end];
  const matches =
    url.query !== '' && isFile([...pathTokens, '$']) && hasParameters(queryTokens, octetsOf(url.query, true));
  return matches ? length + 1 + lengthOf(queryTokens, QUERY_PLAIN) : undefined;
}

const smallToken = (token: Token): Token =>
  typeof token === 'number' && token >= 65 && token <= 90 ? token + 32 : token;

const AND = 0x26;
const EQUALS = 0x3d;

function split<T>(list: readonly T[], at: T): T[][] {
  const parts: T[][] = [[]];
  for (const one of list) {
    if (one === at) parts.push([]);
    else parts.at(-1)?.push(one);
  }
  return parts;
}

/** All parameters of the pattern are among those of the query; or one has a `*` within, and it walks the query. */
function hasParameters(tokens: readonly Token[], octets: readonly number[]): boolean {
  const isOnlyEnd = tokens.length === 1 && tokens[0] === '$';
  const pieces = split(tokens, AND as Token);
  const wanted = pieces
    .map((piece, i) => (i < pieces.length - 1 ? [...piece, '$' as const] : piece))
    .filter((piece) => isOnlyEnd || piece.some((token) => token !== '*' && token !== '$'));
  const spans = wanted.some((piece) => {
    const star = piece.indexOf('*', 1);
    return (
      star !== -1 && star < piece.length - 1 && piece.slice(star + 1).some((token) => token !== '*' && token !== '$')
    );
  });
  if (spans && walks(tokens, octets)) return true;
  const own = split(octets, AND).flatMap((one) => {
    const sign = one.indexOf(EQUALS);
    if (sign === -1) return [one, [...one, EQUALS]];
    return sign === one.length - 1 ? [one, one.slice(0, -1)] : [one];
  });
  return wanted.every((piece) => own.some((one) => walks(piece, one)));
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

function rankOf(collection: OracleCollection, { url, item, urls = USUAL }: OracleSubject): Rank | undefined {
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
    const lengths = url === undefined ? [] : paths.flatMap((path) => matchLength(path, url, urls) ?? []);
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

/** Readers of the formats: RSL as the specification says and as a client of today does, TDMRep, and Content-Usage. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { RelaxNGValidator, XmlDocument, type XmlElement } from 'libxml2-wasm';
import { parseDictionary } from 'structured-headers';
import { HOST } from './given.ts';

/** The uses that a reader finds permitted for a URL. */
export interface Found {
  permitted: ReadonlySet<string>;
  /** The amount; null: no payment is asked for. */
  amount: string | null;
}
export type Read = (url: string) => Found | undefined;

/** RFC 9309, 2.2.3: any characters for `*`, the end for a final `$`. */
function matches(pattern: string, target: string): boolean {
  const ends = pattern.endsWith('$');
  const parts = (ends ? pattern.slice(0, -1) : pattern).split('*');
  const text = parts.map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('[^]*');
  return new RegExp(`^${text}${ends ? '$' : ''}`).test(target);
}

const NS = { r: 'https://rslstandard.org/rsl' };
const validator = RelaxNGValidator.fromDoc(XmlDocument.fromBuffer(readFileSync('test/signals/rsl.rng')));
const ALL = ['ai-train', 'ai-input', 'ai-index', 'search'];

/** Throws if the document is not RSL. */
export function validateRsl(text: string): void {
  using document = XmlDocument.fromString(text);
  validator.validate(document);
}

const wordsOf = (license: XmlElement, name: string): string[] | undefined => {
  const found = license.get(`r:${name}[@type="usage"]`, NS) as XmlElement | null;
  return found?.content.trim().split(/\s+/);
};

/** Reads a license alone: prohibits before permits, and a list of the permitted is closed. */
function toFound(permits: string[] | undefined, prohibits: string[] | undefined, amount: string | null): Found {
  const isIn = (list: string[], word: string): boolean =>
    list.includes('all') || list.includes(word) || (word.startsWith('ai-') && list.includes('ai-all'));
  const permitted = ALL.filter(
    (word) => (permits === undefined || isIn(permits, word)) && !isIn(prohibits ?? [], word),
  );
  return { permitted: new Set(permitted), amount };
}

/** By the specification: all contents that match, the narrowest first; of equally narrow ones, what all permit. */
export function readRsl(text: string): Read {
  using document = XmlDocument.fromString(text);
  const contents = document.find('/r:rsl/r:content', NS).map((node) => {
    const content = node as XmlElement;
    const url = content.attr('url')?.value ?? '';
    assert.ok(url.startsWith(`https://${HOST}/`), url);
    const licenses = content.find('r:license', NS) as XmlElement[];
    assert.equal(licenses.length, 1, url);
    const [license] = licenses as [XmlElement];
    const payment = license.get('r:payment', NS);
    const amount = (license.get('r:payment/r:amount', NS) as XmlElement | null)?.content ?? '';
    const found = toFound(wordsOf(license, 'permits'), wordsOf(license, 'prohibits'), payment === null ? null : amount);
    const pattern = url.slice(`https://${HOST}`.length);
    return { pattern, narrow: pattern.replaceAll(/[*$]/g, '').length + (pattern.endsWith('$') ? 0.5 : 0), found };
  });
  return (url) => {
    const all = contents.filter(({ pattern }) => matches(pattern, url));
    const narrowest = Math.max(...all.map(({ narrow }) => narrow));
    return all
      .filter(({ narrow }) => narrow === narrowest)
      .map(({ found }) => found)
      .reduce(both, undefined);
  };
}

const both = (one: Found | undefined, other: Found): Found =>
  one === undefined
    ? other
    : { permitted: one.permitted.intersection(other.permitted), amount: one.amount ?? other.amount };

/**
 * Reads like the client of Supertab (getsupertab/connect-sdk-typescript, src/customer.ts): regular expressions, the
 * first license of a content, whole paths and `/path/*` without a query. It skips contents without a server, which is
 * not read here.
 */
export function readAsSupertab(text: string): Read {
  const contents = [...text.matchAll(/<content\s([^>]*)>([\s\S]*?)<\/content>/gi)].map(
    ([, attributes = '', body = '']) => {
      const url = /url\s*=\s*"([^"]*)"/i.exec(attributes)?.[1] ?? '';
      const license = /<license[^>]*>[\s\S]*?<\/license>/i.exec(body)?.[0] ?? '';
      const words = (name: string): string[] | undefined =>
        new RegExp(`<${name} type="usage">([^<]*)<`).exec(license)?.[1]?.split(' ');
      const payment = /<payment/.test(license) ? (/<amount[^>]*>([^<]*)</.exec(license)?.[1] ?? '') : null;
      return { url, found: toFound(words('permits'), words('prohibits'), payment) };
    },
  );
  return (target) => {
    const { pathname } = new URL(`https://${HOST}${target}`);
    let best: Found | undefined;
    let length = -1;
    for (const { url, found } of contents) {
      const pattern = new URL(url).pathname;
      if (pattern === pathname) return found;
      const prefix = pattern.slice(0, -1);
      if (!pattern.endsWith('/*') || !pathname.startsWith(prefix) || prefix.length <= length) continue;
      [best, length] = [found, prefix.length];
    }
    return best;
  };
}

/** Returns whether mining is reserved: the first location that matches counts. `isPathAlone`: without the query. */
export function readTdmrep(text: string, isPathAlone: boolean): (url: string) => boolean | undefined {
  const entries = JSON.parse(text) as { location: string; 'tdm-reservation': 0 | 1 }[];
  return (url) => {
    const target = isPathAlone ? (url.split('?')[0] as string) : url;
    const found = entries.find(({ location }) => matches(location, target));
    return found && found['tdm-reservation'] === 1;
  };
}

/** Reads Content-Usage in robots.txt: the longest path counts, and of equally long ones what all allow. */
export function readContentUsage(text: string): (token: string, url: string) => ReadonlySet<string> {
  const groups = readGroups(text);
  return (token, url) => {
    const all = (groups.get(token.toLowerCase()) ?? groups.get('*') ?? []).filter(({ path }) => matches(path, url));
    const longest = Math.max(...all.map(({ path }) => path.length));
    return all
      .filter(({ path }) => path.length === longest)
      .map(({ words }) => words)
      .reduce((one, other) => one.intersection(other), all[0]?.words ?? new Set());
  };
}

type Groups = Map<string, { path: string; words: ReadonlySet<string> }[]>;

const LINE = /^\s*([^:#]+?)\s*:\s*([^#]*?)\s*(?:#.*)?$/;
/** Lines that belong to no group. */
const GLOBAL = /^(sitemap|license|)$/i;

function readGroups(text: string): Groups {
  const groups: Groups = new Map();
  let tokens: string[] = [];
  let isNaming = false;
  for (const line of text.split('\n')) {
    const [, name = '', value = ''] = LINE.exec(line) ?? [];
    if (GLOBAL.test(name)) continue;
    if (/^user-agent$/i.test(name)) {
      tokens = isNaming ? [...tokens, value.toLowerCase()] : [value.toLowerCase()];
      isNaming = true;
      continue;
    }
    isNaming = false;
    if (/^content-usage$/i.test(name)) addRule(groups, tokens, value);
  }
  return groups;
}

function addRule(groups: Groups, tokens: readonly string[], value: string): void {
  const [, path = '/', preferences = ''] = /^(\/\S*)?\s*(.*)$/.exec(value) ?? [];
  const rule = { path, words: allowedIn(preferences) };
  for (const token of tokens) groups.set(token, [...(groups.get(token) ?? []), rule]);
}

/** The labels with the token `y`. */
export const allowedIn = (dictionary: string): Set<string> =>
  new Set([...parseDictionary(dictionary)].filter(([, [value]]) => String(value) === 'y').map(([label]) => label));

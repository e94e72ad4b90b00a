/**
 * Writes src/rules/crawlers/directory.json: the rows of scripts/crawlers.yaml, then the rows of the package
 * crawler-user-agents (MIT) whose names they lack. Run `npm exec -- node scripts/crawlers.ts`; a test compares the
 * file.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { Crawler, CrawlerPurpose } from '../src/rules/crawlers/crawler.ts';
import type { Identity } from '../src/rules/crawlers/identity.ts';
import { extent, openIndex } from '../src/rules/crawlers/token.ts';

const LIST = 'crawler-user-agents';
const LIST_URL = `https://www.npmjs.com/package/${LIST}`;
const folder = join(import.meta.dirname, '..', 'node_modules', LIST);

/** A row of scripts/crawlers.yaml. */
interface Written {
  name: string;
  operator: string | null;
  purpose: CrawlerPurpose;
  userAgents?: string[];
  source: string;
  identities?: Identity[];
}

interface Listed {
  pattern: string;
  instances?: string[];
  url?: string;
  tags?: string[];
}

/** The first tag that a row has decides. Feed readers fetch for their readers, not for AI: they are `other`. */
const PURPOSES: [string, CrawlerPurpose][] = [
  ['ai-crawler', 'training'],
  ['search-engine', 'search'],
  ['social-preview', 'preview'],
  ['seo', 'index'],
  ['archiver', 'index'],
  ['monitoring', 'monitoring'],
];
/** User agents of browsers have these words, too; or they say nothing about who it is. */
const COMMON =
  /^(bot|spider|crawler|robot|silk|safari|chrome|firefox|mozilla|compatible|windows|linux|android|iphone|http|https|www|com|research|feed|reader|news|test|scanner|monitor|client|agent|web|fetch|make|buck|fluid|viber|sonic|jetty|trove|fever)$/i;
/** Shorter words of the list are too likely in other user agents. */
const SHORTEST = 4;
const TOKENS_MAX = 10;

export function directoryText(): string {
  const version = (JSON.parse(read('package.json')) as { version: string }).version;
  const notice = read('LICENSE').trim().split('\n').slice(0, 3).join(' ').replaceAll(/\s+/g, ' ');
  const { date, rows } = readWritten();
  const known = new Set(rows.flatMap(({ userAgents }) => userAgents.map(lower)));
  const names = new Set(rows.map(({ name }) => lower(name)));
  const listed: Crawler[] = [];
  for (const row of JSON.parse(read(`${LIST}.json`)) as Listed[]) {
    const crawler = toCrawler(row, known);
    if (crawler === undefined || names.has(lower(crawler.name))) continue;
    names.add(lower(crawler.name));
    for (const token of crawler.userAgents) known.add(lower(token));
    listed.push(crawler);
  }
  listed.sort((a, b) => (lower(a.name) < lower(b.name) ? -1 : 1));
  const lines = [...rows, ...listed].map((row) => `    ${JSON.stringify(row)}`);
  const head = JSON.stringify({ name: LIST, version, license: 'MIT', notice, url: LIST_URL });
  return `{\n  "date": "${date}",\n  "lists": [${head}],\n  "crawlers": [\n${lines.join(',\n')}\n  ]\n}\n`;
}

const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
const lower = (text: string): string => text.toLowerCase();

function readWritten(): { date: string; rows: Crawler[] } {
  const text = readFileSync(join(import.meta.dirname, 'crawlers.yaml'), 'utf8');
  const { date, rows } = parse(text) as { date: string; rows: Written[] };
  return {
    date,
    rows: rows.map(({ name, operator, purpose, userAgents = [name], source, identities = [] }) => {
      return { name, operator, purpose, userAgents, identities, url: source, source };
    }),
  };
}

/** Returns undefined for a row whose pattern names no whole token that is new. */
function toCrawler({ pattern, instances = [], url, tags = [] }: Listed, known: Set<string>): Crawler | undefined {
  const name = toName(pattern);
  if (name === undefined || known.has(lower(name))) return undefined;
  const userAgents = toTokens(name, instances, known);
  if (userAgents.length === 0) return undefined;
  const find = openIndex([{ userAgents }]);
  if (instances.length > 0 && !instances.some((instance) => find(instance) !== undefined)) return undefined;
  const purpose = PURPOSES.find(([tag]) => tags.includes(tag))?.[1] ?? 'other';
  return { name, operator: null, purpose, userAgents, identities: [], url: toPage(url), source: LIST_URL };
}

const toPage = (url = ''): string | null => (URL.canParse(url) && /^https?:/.test(url) ? url : null);

/** Returns the whole tokens around the name in the user agents, and the name. */
function toTokens(name: string, instances: readonly string[], known: ReadonlySet<string>): string[] {
  const tokens = new Map<string, string>();
  const add = (token: string): void => {
    if (isOwn(token) && !known.has(lower(token)) && !tokens.has(lower(token))) tokens.set(lower(token), token);
  };
  const seen = instances.flatMap((instance) => extent(instance, name) ?? []);
  for (const token of seen) add(token);
  if (seen.length === 0 || tokens.size > 0) add(name);
  return [...tokens.values()].slice(0, TOKENS_MAX);
}

/** Returns the literal text of a pattern; undefined when it is more than a text. */
function toName(pattern: string): string | undefined {
  const text = pattern
    .replaceAll(/^\^|\$$|\(\^\| \)/g, '')
    .replaceAll(/\[([a-z])([A-Z])\]|\[([A-Z])([a-z])\]/g, (_found, a?: string, _A?: string, B?: string) => B ?? a ?? '')
    .replaceAll(/\\([/.\-()+ !])/g, '$1')
    .trim();
  if (/[[\](){}|*?^$\\]/.test(text)) return undefined;
  return text.length > SHORTEST && text.endsWith('/') ? text.slice(0, -1) : text;
}

const isOwn = (token: string): boolean => token.length >= SHORTEST && !COMMON.test(token);

if (import.meta.main)
  writeFileSync(join(import.meta.dirname, '..', 'src', 'rules', 'crawlers', 'directory.json'), directoryText());

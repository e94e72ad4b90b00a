/**
 * Readings of a URL: what servers, frameworks and proxies may make of it beside what it says. Pure. Some drop the
 * parameters of a path segment (`;…`) or take them for the query, some decode twice and cut at `?` or `#`, some serve
 * `/index.php/…` by the script or by what follows it, some ignore the port, and Windows drops dots and spaces at the
 * end of a name. Most URLs have one reading, which a regular expression or two show.
 */
import { isPlainPath, type Locator } from './locator.ts';
import { toFolded } from './spellings.ts';

export interface Reading {
  readonly locator: Locator;
  /** Few servers read it so: where it finds nothing, it does not count. */
  readonly rare: boolean;
}

/** More than these are not tried: such a URL is no honest one. */
const READINGS_MAX = 24;

/** Extensions of scripts, which are run with what follows them in the path. */
const SCRIPT = /\.(?:php\d?|phtml|phar|cgi|fcgi|pl|py|rb|asp|aspx|ashx|jsp|jspx|do|cfm|shtml)$/i;
/** Everything that `otherTargets` looks for. */
const ODD_PATH = /[;?#]|[. ](?:\/|$)|::\$|\.\w+\//;
/** Everything that `withQueries` looks for. */
const ODD_QUERY = /;|%u[0-9a-f]{4}|(?:^|&)[^=&]*(?:[+.[]|%20|%5b|%2e|%00)/i;

/**
 * Returns the readings of a URL with the plainest first, the URL itself among them; undefined if it has just one,
 * `unreadable` if one of them has no plain path, or if there are too many.
 */
export function findReadings(
  locator: Locator,
  index: readonly string[],
): readonly Reading[] | 'unreadable' | undefined {
  const { host, path, query } = locator;
  const bare = host.replace(/:\d+$/, '');
  const hasOtherPath = ODD_PATH.test(path) || index.some((name) => toFolded(path).includes(`/${toFolded(name)}/`));
  const hasOtherQuery = query !== '' && ODD_QUERY.test(query);
  if (bare === host && !hasOtherPath && !hasOtherQuery) return undefined;
  const targets = hasOtherPath ? otherTargets(locator, index) : [{ path, query, rare: false }];
  if (targets === 'unreadable') return targets;
  const found = targets.flatMap(withQueries);
  const all = (bare === host ? [host] : [bare, host]).flatMap((one) => found.map((target) => toReading(one, target)));
  return distinct(all);
}

function distinct(all: readonly Reading[]): Reading[] | 'unreadable' {
  const readings = new Map<string, Reading>();
  for (const reading of all) {
    const name = JSON.stringify(reading.locator);
    if (readings.get(name)?.rare !== false) readings.set(name, reading);
  }
  return readings.size > READINGS_MAX ? 'unreadable' : [...readings.values()];
}

const toReading = (host: string, { path, query, rare }: Target): Reading => ({ locator: { host, path, query }, rare });

interface Target {
  path: string;
  query: string;
  rare: boolean;
}

/** Returns what becomes of a path by every combination of what servers do, the plainest first. */
function otherTargets({ path, query }: Locator, index: readonly string[]): Target[] | 'unreadable' {
  const plainest = { path: withoutParameters(path.replace(/[?#][^]*$/, '')), query, rare: false };
  const found = new Map<string, Target>();
  const open: Target[] = [plainest, { path, query, rare: false }];
  for (let next = open.shift(); next !== undefined; next = open.shift()) {
    if (!isPlainPath(next.path)) {
      if (next.rare) continue;
      return 'unreadable';
    }
    const name = JSON.stringify([next.path, next.query]);
    const before = found.get(name);
    if (before !== undefined && (!before.rare || next.rare)) continue;
    found.set(name, next);
    if (found.size > READINGS_MAX) return 'unreadable';
    open.push(...stepsFrom(next, index));
  }
  return [...found.values()];
}

function stepsFrom({ path, query, rare }: Target, index: readonly string[]): Target[] {
  const steps: Target[] = [];
  const add = (other: string, asked = query, isRare = false): void => {
    if (other !== path || asked !== query) steps.push({ path: other, query: asked, rare: rare || isRare });
  };
  const end = path.search(/[?#]/);
  if (end !== -1) {
    const rest = path[end] === '?' ? toQuery(path.slice(end + 1).replace(/#[^]*$/, '')) : '';
    add(path.slice(0, end));
    add(path.slice(0, end), joinQuery(rest, query));
  }
  add(withoutParameters(path));
  const mark = path.indexOf(';');
  if (mark !== -1) {
    add(path.slice(0, mark));
    // Fastify, where a semicolon may begin the query.
    add(path.slice(0, mark), joinQuery(toQuery(path.slice(mark + 1)), query), true);
  }
  for (const [other, isRare] of scriptsIn(path, index)) add(other, query, isRare);
  // Windows, where `a.txt::$DATA` is `a.txt` too.
  add(path.replaceAll(/(?:[. ]+|::\$\w+)(?=\/|$)/g, ''), query, true);
  return steps;
}

const joinQuery = (...parts: string[]): string => parts.filter((text) => text !== '').join('&');

const withoutParameters = (path: string): string => path.replaceAll(/;[^/]*/g, '');

const toQuery = (text: string): string => encodeURI(text.toWellFormed()).replaceAll('#', '%23');

/** Returns the scripts of a path that something follows, and what follows the index of a folder. */
function scriptsIn(path: string, index: readonly string[]): [path: string, rare: boolean][] {
  const isAmong = (name: string): boolean => index.some((one) => toFolded(one) === toFolded(name));
  const found: [string, boolean][] = [];
  for (let slash = path.indexOf('/', 1); slash !== -1; slash = path.indexOf('/', slash + 1)) {
    const begin = path.lastIndexOf('/', slash - 1);
    const name = path.slice(begin + 1, slash);
    if (isAmong(name)) {
      found.push([path.slice(0, slash), false], [path.slice(0, begin) + path.slice(slash), false]);
    } else if (SCRIPT.test(name)) found.push([path.slice(0, slash), true]);
  }
  return found;
}

/** Some servers part a query at `;`, ASP.NET decodes `%u0069`, and PHP reads names in a way of its own. */
function withQueries(target: Target): Target[] {
  if (!ODD_QUERY.test(target.query)) return [target];
  const parted = target.query.replaceAll(';', '&').replaceAll(/%u([0-9a-f]{4})/gi, (_, code: string) => toEscape(code));
  const others = [parted, parted.split('&').flatMap(phpSpellings).join('&')];
  return [target, ...others.map((query) => ({ ...target, query, rare: true }))];
}

const toEscape = (code: string): string =>
  encodeURIComponent(String.fromCharCode(Number.parseInt(code, 16)).toWellFormed());

/**
 * Returns a parameter by the names that PHP may give it: spaces before a name are dropped, a NUL ends it, and `a[x]` is
 * an entry of the list `a`, as `a[]` is.
 */
function phpSpellings(parameter: string): string[] {
  const [, name = '', rest = ''] = /^([^=]*)(.*)$/s.exec(parameter) ?? [];
  const begun = name.replace(/^(?:\+|%20)+/, '').replace(/%00[^]*$/, '');
  const [, plain = '', key] = /^(.*?)(?:(?:\[|%5b)(.*))?$/is.exec(begun) ?? [];
  const bare = toPhpName(plain);
  if (key === undefined) return [bare + rest];
  const whole = /\]|%5d/i.test(key) ? `${bare}[]` : `${bare}_${toPhpName(key)}`;
  return [bare + rest, whole + rest];
}

const toPhpName = (text: string): string => text.replaceAll(/[.+]|%2e|%20/gi, '_');

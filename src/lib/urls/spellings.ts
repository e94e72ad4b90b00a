/**
 * Spellings of a path that lead to the same file. Promise: under all rules of a host, the relation is an equivalence:
 * every spelling of a path has the same spellings. A last segment with a dot has no folder and no index spelling.
 */

/** The rules of a host that say which URLs are one file. */
export interface UrlRules {
  /** The case of the ASCII letters of a path. */
  readonly case: 'sensitive' | 'ignored';
  readonly finalSlash: 'significant' | 'ignored';
  /** Names of the file that a folder serves. */
  readonly index: readonly string[];
}

/** The rules of a host that says nothing else. */
export const USUAL_URLS: UrlRules = {
  case: 'sensitive',
  finalSlash: 'ignored',
  index: ['index.html', 'index.htm', 'index.php'],
};

/** The differences of paths that a router ignores. */
export interface Looseness {
  readonly case?: 'ignored';
  readonly finalSlash?: 'ignored';
}

/** Returns the looser of both: the rules themselves if the router ignores no more than they do. */
export function loosen(rules: UrlRules, router: Looseness): UrlRules {
  const ignoresCase = router.case === 'ignored' && rules.case !== 'ignored';
  const ignoresSlash = router.finalSlash === 'ignored' && rules.finalSlash !== 'ignored';
  if (!ignoresCase && !ignoresSlash) return rules;
  return {
    case: ignoresCase ? 'ignored' : rules.case,
    finalSlash: ignoresSlash ? 'ignored' : rules.finalSlash,
    index: rules.index,
  };
}

/** Changes the case of ASCII letters alone. */
export const toFolded = (text: string): string =>
  /[A-Z]/.test(text) ? text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase()) : text;

const isIndex = (name: string, { index, case: letters }: UrlRules): boolean =>
  index.includes(name) || (letters === 'ignored' && index.some((one) => toFolded(one) === toFolded(name)));

/** Returns the path and its other spellings, apart from the case of letters. Takes a path in one spelling. */
export function spellPath(path: string, rules: UrlRules): string[] {
  const folder = findFolder(path, rules);
  if (folder === undefined) return [path];
  const bare = stripFinalSlash(folder, rules);
  const all = [...(bare === undefined ? [] : [bare]), folder, ...rules.index.map((name) => folder + name)];
  return [path, ...all.filter((one) => one !== path)];
}

/** Returns the one spelling that stands for all. */
export function canonicalPath(path: string, rules: UrlRules): string {
  const folder = findFolder(path, rules);
  const one = folder === undefined ? path : (stripFinalSlash(folder, rules) ?? folder);
  return rules.case === 'ignored' ? toFolded(one) : one;
}

/** Returns the spelling that stands for all of a URL without its scheme; `rulesOf` returns the rules of a host. */
export function canonicalUrl(url: string, rulesOf: (host: string) => UrlRules): string {
  const [, host = '', path = '', query = ''] = /^([^/?]*)([^?]*)(.*)$/s.exec(url) ?? [];
  return host + canonicalPath(path, rulesOf(host)) + query;
}

/** Returns the folder that serves the file, with its final slash; undefined where the file is none of a folder. */
function findFolder(path: string, rules: UrlRules): string | undefined {
  const end = path.lastIndexOf('/') + 1;
  if (end === path.length) return path;
  const name = path.slice(end);
  if (isIndex(name, rules)) return path.slice(0, end);
  return rules.finalSlash === 'ignored' && !name.includes('.') ? `${path}/` : undefined;
}

/** Returns the folder without its final slash if that is the same file. */
function stripFinalSlash(folder: string, rules: UrlRules): string | undefined {
  if (rules.finalSlash === 'significant' || folder === '/') return undefined;
  const bare = folder.slice(0, -1);
  const name = bare.slice(bare.lastIndexOf('/') + 1);
  return name.includes('.') || isIndex(name, rules) ? undefined : bare;
}

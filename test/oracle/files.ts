/** URLs without an item, and a second implementation of which are one file, from the rules as they are documented. */
import type { Random } from '../../kit/random.ts';
import { canonicalUrl, type UrlRules, USUAL_URLS } from '../../src/lib/urls/spellings.ts';

/** Returns a name that all spellings of the file share, and no other file has. Takes a URL without its scheme. */
function fileOf(url: string, rules: UrlRules): string {
  const fold = (text: string): string =>
    rules.case === 'ignored' ? text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase()) : text;
  const [host = '', ...rest] = url.split('/');
  const names = rest.map(fold);
  const last = names.at(-1) as string;
  // A folder serves its index file.
  if (rules.index.map(fold).includes(last)) names[names.length - 1] = '';
  const folder = names.at(-2);
  const isFolder = names.at(-1) === '' && folder !== undefined;
  // A last name with a dot, or of an index file, is never a folder without its slash.
  const hasBare = isFolder && !folder.includes('.') && !rules.index.map(fold).includes(folder);
  if (hasBare && rules.finalSlash === 'ignored') names.pop();
  return [host, ...names].join('/');
}

const URLS = ['/1', '/1/', '/1/index.html', '/1/Index.html', '/2', '/2/main', '/a.b', '/A.b/', '/', '/index.htm'];

export const newRules = (random: Random): UrlRules => ({
  case: random.pick(['sensitive', 'ignored']),
  finalSlash: random.pick(['significant', 'ignored']),
  index: random.pick([USUAL_URLS.index, ['main', 'INDEX.html'], []]),
});

/** The URL of a decision without an item, as the ledger keeps it; decisions of older versions have no file. */
export function newUrl(random: Random, rules: UrlRules | null): { url: string; file: string | null; ownFile: string } {
  const url = `a.example${random.pick(URLS)}`;
  if (rules === null) return { url, file: null, ownFile: url };
  const file = canonicalUrl(url, () => rules);
  return { url, file: file === url ? null : file, ownFile: fileOf(url, rules) };
}

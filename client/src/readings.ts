/**
 * Pages that a router serves in several spellings. Promise: a spelling that Postern allows, or does not know, serves no
 * page that Postern refuses in another one.
 */
import type { Ask, Asked } from './asker.ts';
import type { Check } from './types.ts';

/**
 * Tests by dry runs whether the page is served at the URL as sent and refused in another spelling of it. Items have no
 * spellings.
 */
export async function isContradicted(ask: Ask, check: Check, spelled: readonly Check[]): Promise<boolean> {
  if (check.url === undefined || spelled.length === 0) return false;
  const dry = ({ page: _page, explain: _explain, ...rest }: Check): Promise<Asked> => ask({ ...rest, dryRun: true });
  const asked = await Promise.all(spelled.map(dry));
  return asked.some(isRefused) && !isRefused(await dry(check));
}

const isRefused = (asked: Asked): boolean =>
  'error' in asked ? asked.error.code !== 'content_not_found' : !asked.allowed && asked.enforced;

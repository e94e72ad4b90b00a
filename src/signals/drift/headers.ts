/** Compares the headers of the first page with the intended ones. Pure. */

import { toPreferences } from '../robots/usage-reader.ts';
import { type Difference, toDifference } from './difference.ts';

/**
 * A reservation or preference that a page does not repeat is in the files; one that says otherwise outranks them. A
 * link is said in no other place.
 */
export function compareHeaders(
  intended: Readonly<Record<string, string>>,
  live: Readonly<Record<string, string | string[] | undefined>>,
): Difference[] {
  return Object.entries(intended).flatMap(([name, value]) => {
    const found = live[name] === undefined ? null : String(live[name]);
    if (found === null && name !== 'link') return [];
    if (isSame(name, value, found)) return [];
    const isOpen = name === 'tdm-reservation' && value === '1';
    return [
      toDifference([], {
        about: name,
        intended: value,
        live: found,
        effect: isOpen ? 'opens' : 'other',
        message: `The first page answers ${found === null ? `no ${name}` : `${name}: ${found}`}; intended is ${value}.`,
      }),
    ];
  });
}

function isSame(name: string, value: string, found: string | null): boolean {
  if (found === null) return false;
  if (name === 'content-usage') return toPreferences(value) === toPreferences(found);
  if (name !== 'link') return value.trim() === found.trim();
  const [, url = ''] = /^<([^>]*)>/.exec(value) ?? [];
  return [...found.matchAll(/<([^>]*)>([^<]*)/g)].some(
    ([, target, params = '']) => target === url && /;\s*rel="?[^"]*\blicense\b/i.test(params),
  );
}

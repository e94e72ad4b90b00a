/** The state in force for a caller whose router ignores more than a host does. */
import { type Looseness, loosen, type UrlRules } from '../../lib/urls/spellings.ts';
import { hostUrlRules, type InForce, type UrlsByHost } from './known.ts';

/** Returns a name for each looseness; empty for none. */
export const nameOfLooseness = ({ case: letters, finalSlash }: Looseness = {}): string =>
  (letters === undefined ? '' : 'c') + (finalSlash === undefined ? '' : 's');

/** Made once for each state: what was found by it is compared by it. */
const known = new WeakMap<InForce, Map<string, InForce>>();

/** Returns the same state in which the rules of every host are at least as loose. */
export function loosened(inForce: InForce, router: Looseness): InForce {
  const name = nameOfLooseness(router);
  const before = known.get(inForce) ?? new Map<string, InForce>();
  known.set(inForce, before);
  const made = before.get(name) ?? { ...inForce, urls: openUrls(inForce, router) };
  before.set(name, made);
  return made;
}

/** The rules by which they were loosened: few hosts have rules of their own. */
function openUrls(inForce: InForce, router: Looseness): UrlsByHost {
  const made = new Map<UrlRules, UrlRules>();
  return {
    size: 1,
    get(host) {
      const own = hostUrlRules(inForce, host);
      const rules = made.get(own) ?? loosen(own, router);
      made.set(own, rules);
      return rules;
    },
  };
}

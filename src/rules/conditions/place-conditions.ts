/** Conditions on the place of a check: its collection, its host and its path. */
import { Type } from 'typebox';
import { ID_BODY } from '../../lib/id.ts';
import { hostSet, pathSet } from '../../lib/urls/pattern-sets.ts';
import { parseHostPattern, parsePathPattern } from '../../lib/urls/url-pattern.ts';
import type { Facts } from '../facts.ts';
import { type Condition, oneOrMany } from './condition.ts';
import { list, type Test } from './match.ts';

const CollectionId = Type.String({
  pattern: `^col_${ID_BODY}$`,
  description: 'The id of a collection',
  expected: 'must be the id of a collection, such as col_01kb0000000000000000000000',
});

/** Returns the host, which a check by path alone does not know. */
const hostOf = ({ locator }: Facts): string | null => locator?.host || null;

const namesQuery = (value: unknown): boolean => list(value as string | string[]).some((text) => text.includes('?'));

export const PLACE_CONDITIONS = {
  collection: {
    about: 'check',
    negatable: true,
    schema: oneOrMany(CollectionId),
    doc: 'The most specific collection of the item or URL, by its id. An item or URL in no collection is known to be in none.',
    example: 'col_01kb0000000000000000000000',
    compile(value: string | string[]): Test {
      const wanted = new Set<string | null>(list(value));
      return ({ place }) => wanted.has(place.collectionId);
    },
    actual: ({ place }) => place.collectionId,
  },
  host: {
    about: 'check',
    negatable: true,
    schema: oneOrMany(Type.String({ maxLength: 260, format: 'host-pattern' })),
    doc: 'The host of the URL, or of the item’s `source`: a name, or `*.example.com` for all names below it; with a port unless that is 80 or 443.',
    example: ['www.example.com', '*.example.org'],
    compile(value: string | string[]): Test {
      const isIn = hostSet(list(value).flatMap((text) => parseHostPattern(text) ?? []));
      return (facts) => {
        const host = hostOf(facts);
        return host === null ? undefined : isIn(host);
      };
    },
    actual: hostOf,
  },
  path: {
    about: 'check',
    negatable: true,
    schema: oneOrMany(Type.String({ maxLength: 500, format: 'path-pattern' })),
    doc: 'The path of the URL, or of the item’s `source`, matches a pattern as in collections: a prefix, `*` for any characters, `$` for the end. What the site treats as one file matches alike. Only a pattern with `?` reads the query.',
    example: ['/premium/', '/*.pdf$'],
    compile(value: string | string[]): Test {
      const isIn = pathSet(list(value).flatMap((text) => parsePathPattern(text) ?? []));
      return ({ target }) => (target === null ? undefined : isIn(target));
    },
    actual({ target }, value) {
      if (target === null) return null;
      return namesQuery(value) && target.query !== '' ? `${target.path}?${target.query}` : target.path;
    },
  },
} as const satisfies Record<string, Condition>;

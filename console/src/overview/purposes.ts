/** Summarizes what was asked for, and the purposes, in a line. */
import type { Row } from '../api/client.ts';
import { pluralize } from '../parts/plural.ts';
import { formatCount } from '../parts/show.tsx';

type Demand = Row<'GET /v1/analytics/demand'>;

const SHOWN = 3;

/** Names the most frequent: `for training 1,182, research 20, no purpose 3`; `purpose not stated`. */
function formatPurposes(purposes: Demand['purposes']): string {
  if (purposes.every(({ purpose }) => purpose === null)) return 'purpose not stated';
  const stated = purposes.filter(({ purpose }) => purpose !== null);
  const parts = stated.slice(0, SHOWN).map(({ purpose, denied }) => `${purpose} ${formatCount(denied)}`);
  if (stated.length > SHOWN) parts.push('…');
  const none = purposes.find(({ purpose }) => purpose === null);
  if (none !== undefined) parts.push(`no purpose ${formatCount(none.denied)}`);
  return `for ${parts.join(', ')}`;
}

/** `60 items and 486 pages`. */
export const formatPlaces = ({ uniqueContent, uniqueUrls }: Pick<Demand, 'uniqueContent' | 'uniqueUrls'>): string =>
  [
    ...(uniqueContent > 0 ? [pluralize(uniqueContent, 'item')] : []),
    ...(uniqueUrls > 0 ? [pluralize(uniqueUrls, 'page')] : []),
  ].join(' and ');

export const formatWants = (row: Demand): string => `${formatPlaces(row)}, ${formatPurposes(row.purposes)}`;

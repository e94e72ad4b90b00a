/** The dimensions by which demand is grouped. The address holds the choice. */
import { Button } from '@mantine/core';
import './demand.css';
import type { Row } from '../api/client.ts';
import { useFilters } from '../parts/filters.ts';

export type Demand = Row<'GET /v1/analytics/demand'>;

export const GROUPS = {
  who: 'Visitor',
  requester: 'Partner or bot',
  crawler: 'Crawler',
  collection: 'Collection',
  purpose: 'Purpose',
  licenseType: 'Kind of license',
} as const;
export type Group = keyof typeof GROUPS;

const NAMES = Object.keys(GROUPS) as Group[];
const DEFAULT: Group[] = ['who'];

/** Parses the address; in the order of the columns. */
export function readGroups(text: string | undefined): Group[] {
  const chosen = (text ?? '').split(',');
  const groups = NAMES.filter((name) => chosen.includes(name));
  return groups.length === 0 ? DEFAULT : groups;
}

/** Rows of one answer are distinct by their groups. */
export const rowKey = ({ requesterId, who, crawler, collectionId, purpose, license }: Demand): string =>
  JSON.stringify([requesterId, who, crawler, collectionId, purpose, license]);

export function GroupChoice() {
  const { values, set } = useFilters();
  const chosen = readGroups(values.by);
  const toggle = (name: Group) => {
    const next = NAMES.filter((one) => chosen.includes(one) !== (one === name));
    if (next.length === 0) return;
    const by = next.join(',');
    set({ by: by === DEFAULT.join(',') ? null : by });
  };
  return (
    <div className="actions demand-groups" role="group" aria-label="One row for each">
      <span className="soft small">One row for each</span>
      {NAMES.map((name) => (
        <Button
          key={name}
          size="compact-sm"
          variant={chosen.includes(name) ? 'light' : 'default'}
          aria-pressed={chosen.includes(name)}
          onClick={() => toggle(name)}
        >
          {GROUPS[name]}
        </Button>
      ))}
    </div>
  );
}

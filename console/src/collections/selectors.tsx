/** The selectors of a collection, and those by which it matches an address. */
import { Button } from '@mantine/core';
import { useState } from 'react';
import type { Answer } from '../api/client.ts';
import { formatCount } from '../parts/show.tsx';
import './collections.css';

export type Collection = Answer<'GET /v1/collections/{id}'>;
export type Match = Answer<'GET /v1/collections/match'>;
export type Matched = NonNullable<Match['collection']>;

const SHOWN_MAX = 12;

/** A list of hosts, patterns or tags; a long one is cut unless its button shows all of it. */
export function Values({ of, some = SHOWN_MAX }: { of: readonly string[]; some?: number }) {
  const [all, setAll] = useState(false);
  if (of.length === 0) return <span className="soft">any</span>;
  const shown = all ? of : of.slice(0, some);
  return (
    <span className="tags">
      {shown.map((one) => (
        <code key={one} className="chip value">
          {one}
        </code>
      ))}
      {some < of.length && (
        <Button variant="subtle" size="compact-xs" aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? 'Fewer' : `${formatCount(of.length - some)} more`}
        </Button>
      )}
    </span>
  );
}

const NAMES = { path: 'path', host: 'host', contentType: 'type', contentTag: 'tag' } as const;

export function MatchedBy({ of }: { of: Matched }) {
  return (
    <span className="tags">
      {(Object.keys(NAMES) as (keyof typeof NAMES)[])
        .filter((name) => of[name] !== null)
        .map((name) => (
          <span key={name}>
            {NAMES[name]} <code className="chip value">{of[name]}</code>
          </span>
        ))}
    </span>
  );
}

/** Reasons why a matching collection does not decide. */
export const LOST = {
  path: 'its path pattern is shorter',
  host: 'its host is less exact',
  selectors: 'it has fewer selectors',
  age: 'as specific, and younger',
} as const;

/** Live decisions, newest first. */
import { Switch } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';
import { useRead } from '../api/read.ts';
import { Panel } from '../parts/page.tsx';
import { NotEnforced, ProofChip, Time, Verdict } from '../parts/show.tsx';
import { Loaded } from '../parts/states.tsx';
import { WhoName, whoAsked } from '../parts/who.tsx';

const EVERY_MS = 3_000;

interface FeedProps {
  contentId?: string | undefined;
  requesterId?: string | undefined;
}

export function Feed({ contentId, requesterId }: FeedProps) {
  const [live, setLive] = useState(true);
  const query = {
    limit: 10,
    expand: 'names' as const,
    ...(contentId === undefined ? {} : { contentId }),
    ...(requesterId === undefined ? {} : { requesterId }),
  };
  const decisions = useRead(
    'GET /v1/access/decisions',
    { query },
    { keep: true, ...(live ? { everyMs: EVERY_MS } : {}) },
  );
  return (
    <Panel
      title="Latest decisions"
      actions={<Switch label="Live" checked={live} onChange={(event) => setLive(event.currentTarget.checked)} />}
    >
      <Loaded of={decisions}>
        {({ data }) => (
          <ol className="feed">
            {data.map((decision) => {
              const { id, externalId, url, reason, created, names } = decision;
              return (
                <li key={id}>
                  <span className="what">
                    <WhoName who={whoAsked(decision)} /> <ProofChip of={decision} />{' '}
                    <span className="soft">asked for</span>{' '}
                    <Link href={`/decisions/${id}`} title={externalId ?? url ?? ''}>
                      {names?.content ?? externalId ?? url}
                    </Link>
                  </span>
                  <span className="tags">
                    <Verdict reason={reason} /> <NotEnforced of={decision} />
                  </span>
                  <span className="when">
                    <Time at={created} />
                  </span>
                </li>
              );
            })}
          </ol>
        )}
      </Loaded>
    </Panel>
  );
}

/** Demand that no licence covers: who is turned away most, and for what. The list that a licence seller calls. */
import { Anchor, SegmentedControl } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';
import { useRead } from '../api/read.ts';
import { List } from '../parts/list.tsx';
import { Panel } from '../parts/page.tsx';
import { countOf, RequesterLink } from '../parts/show.tsx';
import { Empty, Loaded } from '../parts/states.tsx';
import type { UsageQuery } from './range.ts';

type Reason = 'no_license' | 'license_expired';

export function Demand({ query }: { query: UsageQuery }) {
  const [reason, setReason] = useState<Reason>('no_license');
  const turnedAway = { ...query, reason };
  const usage = useRead('GET /v1/analytics/usage', { query: turnedAway }, { keep: true });
  return (
    <Panel
      title="Demand without a licence"
      lead="Who is turned away most, and for what."
      actions={
        <SegmentedControl
          size="xs"
          aria-label="Reason"
          data={[
            { value: 'no_license', label: 'No licence' },
            { value: 'license_expired', label: 'Expired' },
          ]}
          value={reason}
          onChange={(value) => setReason(value as Reason)}
        />
      }
    >
      <Loaded of={usage}>
        {({ topRequesters, summary }) =>
          topRequesters.length === 0 ? (
            <Empty title={summary.denied === 0 ? 'Nobody was turned away for that' : 'Only anonymous requests'} />
          ) : (
            <List
              caption="Requesters turned away"
              tight
              records={topRequesters.slice(0, 6)}
              idOf={({ id }) => id}
              columns={[
                { label: 'Requester', show: ({ id, name }) => <Wanting id={id} name={name} query={turnedAway} /> },
                {
                  label: 'Turned away',
                  right: true,
                  narrow: true,
                  show: ({ id, requests }) => (
                    <Anchor
                      component={Link}
                      size="sm"
                      href={`/decisions?requesterId=${encodeURIComponent(id)}&reason=${reason}`}
                    >
                      {countOf(requests)}
                    </Anchor>
                  ),
                },
              ]}
            />
          )
        }
      </Loaded>
    </Panel>
  );
}

function Wanting({ id, name, query }: { id: string; name: string; query: UsageQuery }) {
  const wanted = useRead('GET /v1/analytics/usage', { query: { ...query, requesterId: id, limit: 2 } }, { keep: true });
  return (
    <>
      <RequesterLink id={id} name={name} />
      <span className="under">
        {wanted.data === undefined
          ? '…'
          : `${countOf(wanted.data.summary.uniqueContent)} items, above all ${wanted.data.topContent.map(({ title }) => title).join(' and ')}`}
      </span>
    </>
  );
}

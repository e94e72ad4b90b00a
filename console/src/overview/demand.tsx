/** The requesters denied most often for want of a license: the top of the page of demand. */
import { Anchor, SegmentedControl } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';
import type { Row } from '../api/client.ts';
import { useRead } from '../api/read.ts';
import { type Column, List } from '../parts/list.tsx';
import { Panel } from '../parts/page.tsx';
import { Chip, formatCount } from '../parts/show.tsx';
import { Empty, Loaded } from '../parts/states.tsx';
import { type Who, WhoName, whoKey } from '../parts/who.tsx';
import { formatWants } from './purposes.ts';
import { linkToDecisions, type Usage, type UsageQuery } from './range.ts';

type Reason = 'no_license' | 'license_expired';

export function Demand({ usage, query }: { usage: Usage; query: UsageQuery }) {
  const [reason, setReason] = useState<Reason>('no_license');
  const { contentId, requesterId, type } = query;
  const { startDate, endDate } = usage.period;
  const filter = { contentId, requesterId, type, reason, from: startDate, to: endDate };
  const demand = useRead(
    'GET /v1/analytics/demand',
    { query: { ...filter, groupBy: 'who', limit: 6 } },
    { keep: true },
  );
  const all = new URLSearchParams(Object.entries(filter).filter((entry): entry is [string, string] => !!entry[1]));
  return (
    <Panel
      title="Demand without a license"
      lead="Who is denied most, and for what."
      actions={<ReasonChoice value={reason} onChange={setReason} />}
    >
      <Loaded of={demand}>
        {({ data, totalCount }) =>
          data.length === 0 ? (
            <Empty title="No denials for that reason" />
          ) : (
            <>
              <List
                caption="Denied for want of a license"
                tight
                records={data}
                idOf={({ who }) => (who === undefined ? '' : whoKey(who))}
                columns={[
                  WHO,
                  {
                    label: 'Denied',
                    right: true,
                    narrow: true,
                    show: ({ who, denied }) => (
                      <Denied href={linkTo(who, (found) => linkToDecisions(usage, query, { ...found, reason }))}>
                        {formatCount(denied)}
                      </Denied>
                    ),
                  },
                ]}
              />
              <div className="pager">
                <Anchor component={Link} size="sm" href={`/demand?${all}`}>
                  {totalCount > data.length ? `All ${formatCount(totalCount)} who were denied` : 'Open the demand'}
                </Anchor>
              </div>
            </>
          )
        }
      </Loaded>
    </Panel>
  );
}

const WHO: Column<Row<'GET /v1/analytics/demand'>> = {
  label: 'Who',
  show: (row) => (
    <>
      {row.who !== undefined && <WhoName who={row.who} />}
      {row.who?.proof === 'spoofed' && <Chip tone="denied">forged</Chip>}
      <span className="under">{formatWants(row)}</span>
    </>
  ),
};

interface ReasonChoiceProps {
  value: Reason;
  onChange: (reason: Reason) => void;
}

function ReasonChoice({ value, onChange }: ReasonChoiceProps) {
  return (
    <SegmentedControl
      size="xs"
      aria-label="Reason"
      data={[
        { value: 'no_license', label: 'No license' },
        { value: 'license_expired', label: 'Expired' },
      ]}
      value={value}
      onChange={onChange}
    />
  );
}

/** In the decision log, a crawler's or program's decisions include those of requesters with its user agent. */
const linkTo = (who: Who | undefined, link: (filter: { requesterId: string }) => string | undefined) =>
  who?.kind === 'requester' && who.id !== null ? link({ requesterId: who.id }) : undefined;

function Denied({ href, children }: { href: string | undefined; children: string }) {
  if (href === undefined) return children;
  return (
    <Anchor component={Link} size="sm" href={href}>
      {children}
    </Anchor>
  );
}

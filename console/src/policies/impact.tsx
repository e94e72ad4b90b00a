/** Previews the impact of rules on recent decisions. */
import { Alert, Anchor, Loader, SegmentedControl } from '@mantine/core';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { Link } from 'wouter';
import { type Answer, type Body, call } from '../api/client.ts';
import { decidedBy } from '../decisions/by.ts';
import { SpanChoice } from '../parts/filter-span.tsx';
import { List } from '../parts/list.tsx';
import { Chip, formatCount, reasonName, Verdict } from '../parts/show.tsx';
import type { Span } from '../parts/span-presets.tsx';
import { Failed } from '../parts/states.tsx';
import { type Who, WhoName, whoKey, whoWords } from '../parts/who.tsx';

type Report = Answer<'POST /v1/policies/{id}/impact'>;

/** Rules, or the number of a version. */
type Rules = Pick<Body<'POST /v1/policies/{id}/impact'>, 'policy' | 'version'>;

/** The latest days, or a span. */
type Past = { days: string } | Span;

export interface ImpactReading {
  past: Past;
  setPast: (past: Past) => void;
  reading: UseQueryResult<Report>;
}

export function useImpact(policyId: string, of: Rules, enabled = true): ImpactReading {
  const [past, setPast] = useState<Past>(LATEST);
  const span = useMemo(() => toSpan(past), [past]);
  const body = { ...of, ...span, examples: 5 };
  const reading = useQuery({
    queryKey: ['POST /v1/policies/{id}/impact', { path: { id: policyId }, body }],
    queryFn: ({ signal }) => call('POST /v1/policies/{id}/impact', { path: { id: policyId }, body, signal }),
    staleTime: 60_000,
    refetchOnWindowFocus: false,
    enabled,
  });
  return { past, setPast, reading };
}

const LATEST: Past = { days: '30' };

function toSpan(past: Past): { from?: string; to?: string } {
  if ('days' in past) return { from: new Date(Date.now() - Number(past.days) * 86_400_000).toISOString() };
  const { from, to } = past;
  // Without a beginning, the service counts 30 days only.
  return { from: from ?? new Date(0).toISOString(), ...(to === undefined ? {} : { to }) };
}

const CAUSES: Record<string, string> = {
  item_edited: 'the item was edited since',
  requester_history: 'the requester of that time is not known',
  inputs_reduced: 'the rules look at addresses, user agents or other inputs that are not kept',
  not_reproduced: 'the check used data that no longer exists',
};

export function Impact({ of: { past, setPast, reading } }: { of: ImpactReading }) {
  return (
    <div className="stack">
      <div className="actions">
        <span>What the last</span>
        <SegmentedControl
          size="xs"
          aria-label="Days to look back"
          data={[
            { value: '7', label: '7 days' },
            { value: '30', label: '30 days' },
            { value: '90', label: '90 days' },
          ]}
          value={'days' in past ? past.days : ''}
          onChange={(days) => setPast({ days })}
        />
        <span>or</span>
        <SpanChoice
          span={'days' in past ? {} : past}
          otherwise="Month or span"
          onChoose={(span) => setPast(span.from === undefined && span.to === undefined ? LATEST : span)}
        />
        <span>would have looked like</span>
      </div>
      {reading.isError && !reading.isFetching && (
        <Failed error={reading.error} onRetry={() => void reading.refetch()} />
      )}
      {reading.isFetching && (
        <div className="empty" role="status">
          <Loader />
          <p>Deciding every recorded check again…</p>
        </div>
      )}
      {reading.data !== undefined && !reading.isFetching && <ImpactReport report={reading.data} />}
    </div>
  );
}

function ImpactReport({ report }: { report: Report }) {
  if (report.decisions === 0)
    return (
      <Alert color="gray">No item of this policy was asked for in that time, so nothing would have changed.</Alert>
    );
  return (
    <>
      <div className="totals" data-impact>
        <Turn
          name="Would now be denied"
          tone="denied"
          count={report.allowToDeny}
          of={report.decisions}
          figure="allowToDeny"
        />
        <Turn
          name="Would now be allowed"
          tone="allowed"
          count={report.denyToAllow}
          of={report.decisions}
          figure="denyToAllow"
        />
        <Turn name="As before" count={report.unchanged} of={report.decisions} figure="unchanged" />
      </div>
      <p className="soft small">
        {formatCount(report.otherPermissions)} allowed with other rights, {formatCount(report.otherReason)} denied for
        another reason, {formatCount(report.limited)} held up by a limit
        {report.unknown.decisions > 0 &&
          `; ${formatCount(report.unknown.decisions)} cannot be decided again: ${report.unknown.causes.map(({ cause, count }) => `${CAUSES[cause] ?? cause} (${formatCount(count)})`).join(', ')}`}
        .
      </p>
      <Affected report={report} />
      {report.examples.length > 0 && (
        <section>
          <h3 className="small">For example</h3>
          <ul className="feed">
            {report.examples.map(({ decisionId, who, before, after }) => (
              <li key={decisionId}>
                <span className="what">
                  <Anchor component={Link} size="sm" href={`/decisions/${decisionId}`}>
                    {whoWords(who)}
                  </Anchor>{' '}
                  <span className="soft">
                    {after.matchedRule === null ? decidedBy(after) : `by ${decidedBy(after)}`}
                  </span>
                </span>
                <span className="tags">
                  <Verdict reason={before.reason} /> → <Verdict reason={after.reason} />
                </span>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

interface TurnProps {
  name: string;
  count: number;
  of: number;
  tone?: string;
  figure: string;
}

export function Turn({ name, count, of, tone, figure }: TurnProps) {
  return (
    <div className="total">
      <div className="name">
        {tone !== undefined && <i className={`dot ${tone}`} />} {name}
      </div>
      <div className="value" data-figure={figure}>
        {formatCount(count)}
      </div>
      <div className="than">of {formatCount(of)}</div>
    </div>
  );
}

export const WHO = {
  label: 'Visitor',
  show: ({ who }: { who: Who }) => (
    <>
      <WhoName who={who} /> {who.proof === 'spoofed' && <Chip tone="denied">forged</Chip>}
    </>
  ),
};

function Affected({ report }: { report: Report }) {
  const reasons = report.byReason.filter(({ from, to }) => from !== to);
  return (
    <div className="columns">
      {report.byWho.length > 0 && (
        <List
          caption="Visitors affected"
          tight
          records={report.byWho.slice(0, 8)}
          idOf={({ who }) => whoKey(who)}
          columns={[
            WHO,
            { label: 'Denied', right: true, narrow: true, show: ({ allowToDeny }) => formatCount(allowToDeny) },
            { label: 'Allowed', right: true, narrow: true, show: ({ denyToAllow }) => formatCount(denyToAllow) },
          ]}
        />
      )}
      {report.byContent.length > 0 && (
        <List
          caption="Items affected"
          tight
          records={report.byContent.slice(0, 8)}
          idOf={({ id }) => id}
          columns={[
            { label: 'Item', show: ({ id, title }) => <Link href={`/content/${id}`}>{title}</Link> },
            { label: 'Denied', right: true, narrow: true, show: ({ allowToDeny }) => formatCount(allowToDeny) },
            { label: 'Allowed', right: true, narrow: true, show: ({ denyToAllow }) => formatCount(denyToAllow) },
          ]}
        />
      )}
      {reasons.length > 0 && (
        <List
          caption="Outcomes before and after"
          tight
          records={reasons}
          idOf={({ from, to }) => `${from} ${to}`}
          columns={[
            { label: 'Before', show: ({ from }) => (from === null ? 'Allowed' : reasonName(from)) },
            { label: 'After', show: ({ to }) => (to === null ? 'Allowed' : reasonName(to)) },
            { label: 'Decisions', right: true, narrow: true, show: ({ count }) => formatCount(count) },
          ]}
        />
      )}
    </div>
  );
}

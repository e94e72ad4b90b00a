/** What other rules would have made of the decisions of the last days. */
import { Alert, Anchor, Loader, SegmentedControl } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { Link } from 'wouter';
import { type Answer, type Body, call } from '../api/client.ts';
import { List } from '../parts/list.tsx';
import { countOf, RequesterLink, reasonName, Verdict } from '../parts/show.tsx';
import { Failed } from '../parts/states.tsx';

type Report = Answer<'POST /v1/policies/{id}/impact'>;

interface ImpactProps {
  policyId: string;
  /** The rules, or the number of a version. */
  of: Pick<Body<'POST /v1/policies/{id}/impact'>, 'policy' | 'version'>;
}

const CAUSES: Record<string, string> = {
  item_edited: 'the item was edited since',
  requester_history: 'what the requester was then is not known',
  not_reproduced: 'its check knew something that is not known any more',
};

export function Impact({ policyId, of }: ImpactProps) {
  const [days, setDays] = useState('30');
  const from = useMemo(() => new Date(Date.now() - Number(days) * 86_400_000).toISOString(), [days]);
  const body = { ...of, from, examples: 5 };
  const impact = useQuery({
    queryKey: ['POST /v1/policies/{id}/impact', { path: { id: policyId }, body }],
    queryFn: ({ signal }) => call('POST /v1/policies/{id}/impact', { path: { id: policyId }, body, signal }),
    staleTime: 60_000,
    refetchOnWindowFocus: false,
  });
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
          value={days}
          onChange={setDays}
        />
        <span>would have looked like</span>
      </div>
      {impact.isError && <Failed error={impact.error} onRetry={() => void impact.refetch()} />}
      {impact.isPending && (
        <div className="empty" role="status">
          <Loader />
          <p>Deciding every recorded decision again…</p>
        </div>
      )}
      {impact.data !== undefined && <Shown report={impact.data} />}
    </div>
  );
}

function Shown({ report }: { report: Report }) {
  if (report.decisions === 0)
    return (
      <Alert color="gray">Nothing was asked for under this policy in that time, so nothing would have changed.</Alert>
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
        {countOf(report.otherPermissions)} allowed with other rights, {countOf(report.otherReason)} denied for another
        reason, {countOf(report.limited)} held up by a limit
        {report.unknown.decisions > 0 &&
          `; ${countOf(report.unknown.decisions)} cannot be told: ${report.unknown.causes.map(({ cause, count }) => `${CAUSES[cause] ?? cause} (${countOf(count)})`).join(', ')}`}
        .
      </p>
      <Affected report={report} />
      {report.examples.length > 0 && (
        <section>
          <h3 className="small">For example</h3>
          <ul className="feed">
            {report.examples.map(({ decisionId, requesterId, before, after }) => (
              <li key={decisionId}>
                <span className="what">
                  <Anchor component={Link} size="sm" href={`/decisions/${decisionId}`}>
                    {requesterId ?? 'anonymous'}
                  </Anchor>{' '}
                  <span className="soft">
                    {after.matchedRule === null ? 'by the default action' : `by rule ${after.matchedRule.index + 1}`}
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

function Turn({ name, count, of, tone, figure }: TurnProps) {
  return (
    <div className="total">
      <div className="name">
        {tone !== undefined && <i className={`dot ${tone}`} />} {name}
      </div>
      <div className="value" data-figure={figure}>
        {countOf(count)}
      </div>
      <div className="than">of {countOf(of)}</div>
    </div>
  );
}

function Affected({ report }: { report: Report }) {
  const reasons = report.byReason.filter(({ from, to }) => from !== to);
  return (
    <div className="columns">
      {report.byRequester.length > 0 && (
        <List
          caption="Requesters affected"
          tight
          records={report.byRequester.slice(0, 8)}
          idOf={({ id }) => id ?? 'anonymous'}
          columns={[
            { label: 'Requester', show: ({ id, name }) => <RequesterLink id={id} name={name ?? id ?? ''} /> },
            { label: 'Denied', right: true, narrow: true, show: ({ allowToDeny }) => countOf(allowToDeny) },
            { label: 'Allowed', right: true, narrow: true, show: ({ denyToAllow }) => countOf(denyToAllow) },
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
            { label: 'Denied', right: true, narrow: true, show: ({ allowToDeny }) => countOf(allowToDeny) },
            { label: 'Allowed', right: true, narrow: true, show: ({ denyToAllow }) => countOf(denyToAllow) },
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
            { label: 'Decisions', right: true, narrow: true, show: ({ count }) => countOf(count) },
          ]}
        />
      )}
    </div>
  );
}

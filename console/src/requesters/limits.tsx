/** The use of each limit, from the newest decision under it. */
import { useRead } from '../api/read.ts';
import type { Decision } from '../decisions/table.tsx';
import { Panel } from '../parts/page.tsx';
import { formatCount, Time } from '../parts/show.tsx';
import { Empty, Loaded } from '../parts/states.tsx';
import { usePolicyChoices } from '../policies/names.ts';
import { periodWords } from '../policies/rules.ts';

export function Limits({ requesterId }: { requesterId: string }) {
  const decisions = useRead('GET /v1/access/decisions', { query: { requesterId, limit: 100 } });
  return (
    <Panel title="Limits" lead="Used of each limit, at the latest decision under it.">
      <Loaded of={decisions}>
        {({ data }) => {
          const latest = latestByLimit(data);
          if (latest.length === 0)
            return <Empty title="No limit used yet">Limits of the rules that let it pass appear here.</Empty>;
          return (
            <ul className="shares">
              {latest.map((decision) => (
                <Used key={decision.id} decision={decision} />
              ))}
            </ul>
          );
        }}
      </Loaded>
    </Panel>
  );
}

function Used({ decision: { policyId, matchedRule, rateLimit, created } }: { decision: Decision }) {
  const choices = usePolicyChoices();
  if (rateLimit === null) return null;
  const { limit, remaining, period, resetAt } = rateLimit;
  const used = limit - remaining;
  return (
    <li>
      <span className="left">
        {choices.find(({ value }) => value === policyId)?.label ?? policyId}
        {matchedRule !== null && `, rule ${matchedRule.index + 1}`}{' '}
        <span className="soft">
          · <Time at={created} />
          {Date.parse(resetAt) <= Date.now() && ', less by now'}
        </span>
      </span>
      <span className="number wide">
        {formatCount(used)} of {formatCount(limit)} {periodWords(period)} used
      </span>
      <div className="meter" aria-hidden="true">
        <span style={{ width: `${(100 * used) / Math.max(1, limit)}%`, background: 'var(--limited)' }} />
      </div>
    </li>
  );
}

/** Returns the newest decision under each limit. `decisions` are newest first. */
function latestByLimit(decisions: readonly Decision[]): Decision[] {
  const seen = new Map<string, Decision>();
  for (const decision of decisions) {
    if (decision.rateLimit === null) continue;
    const place = `${decision.policyId} ${decision.matchedRule?.index}`;
    if (!seen.has(place)) seen.set(place, decision);
  }
  return [...seen.values()].slice(0, 8);
}

/** Limits used against limits given, as the newest decisions under a limit tell it. */
import { useRead } from '../api/read.ts';
import type { Decision } from '../decisions/table.tsx';
import { Panel } from '../parts/page.tsx';
import { countOf, Moment } from '../parts/show.tsx';
import { Empty, Loaded } from '../parts/states.tsx';
import { usePolicyChoices } from '../policies/names.ts';

export function Limits({ requesterId }: { requesterId: string }) {
  const choices = usePolicyChoices();
  const decisions = useRead('GET /v1/access/decisions', { query: { requesterId, limit: 100 } });
  return (
    <Panel title="Limits" lead="What was left at the latest decision under each limit.">
      <Loaded of={decisions}>
        {({ data }) => {
          const latest = latestByLimit(data as Decision[]);
          if (latest.length === 0) return <Empty title="No limit applies to it so far" />;
          return (
            <ul className="shares">
              {latest.map(({ id, policyId, rateLimit, created }) => (
                <li key={id}>
                  <span className="left">
                    {choices.find(({ value }) => value === policyId)?.label ?? policyId}{' '}
                    <span className="soft">
                      · <Moment at={created} />
                    </span>
                  </span>
                  <span className="number wide">
                    {countOf((rateLimit?.limit ?? 0) - (rateLimit?.remaining ?? 0))} of {countOf(rateLimit?.limit ?? 0)}{' '}
                    a {rateLimit?.period}
                  </span>
                  <div className="meter" aria-hidden="true">
                    <span
                      style={{
                        width: `${100 - (100 * (rateLimit?.remaining ?? 0)) / Math.max(1, rateLimit?.limit ?? 1)}%`,
                        background: 'var(--limited)',
                      }}
                    />
                  </div>
                </li>
              ))}
            </ul>
          );
        }}
      </Loaded>
    </Panel>
  );
}

/** Of the newest first: the first of each policy and rule. */
function latestByLimit(decisions: readonly Decision[]): Decision[] {
  const seen = new Map<string, Decision>();
  for (const decision of decisions) {
    if (decision.rateLimit === null) continue;
    const place = `${decision.policyId} ${decision.matchedRule?.index}`;
    if (!seen.has(place)) seen.set(place, decision);
  }
  return [...seen.values()].slice(0, 8);
}

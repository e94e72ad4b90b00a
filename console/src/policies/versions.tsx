/** The versions of a policy: differences and rollback. */
import { Alert, Button } from '@mantine/core';
import { useState } from 'react';
import { useRead, useWrite } from '../api/read.ts';
import { Confirm, MayButton } from '../parts/act.tsx';
import { useFilters } from '../parts/filters.ts';
import { IconArrowBackUp } from '../parts/icons.ts';
import { notify } from '../parts/notices.tsx';
import { Panel } from '../parts/page.tsx';
import { pluralize } from '../parts/plural.ts';
import { Chip, Json, Time } from '../parts/show.tsx';
import { Loaded } from '../parts/states.tsx';
import { useMay, useMayInSecret } from '../shell/session.tsx';
import { Difference } from './difference.tsx';
import { Impact, useImpact } from './impact.tsx';
import { RuleText } from './rule-text.tsx';
import { evaluationOrder, type Policy, type Rule } from './rules.ts';
import '../parts/timeline.css';

export function Versions({ policy }: { policy: Policy }) {
  const { values, set } = useFilters();
  const chosen = Number(values.version ?? policy.version);
  const versions = useRead('GET /v1/policies/{id}/versions', { path: { id: policy.id }, query: { limit: 50 } });
  return (
    <div className="columns versions">
      <Panel
        title="Versions"
        lead="Versions are never overwritten. Rolling back publishes an old version as a new one."
      >
        <Loaded of={versions}>
          {({ data }) => (
            <ol className="timeline">
              {data.map(({ version, name, rules, created }) => (
                <li key={version} aria-current={version === chosen}>
                  <button type="button" onClick={() => set({ version: String(version) })}>
                    <strong>Version {version}</strong>{' '}
                    {version === policy.version && <Chip tone="allowed">in force</Chip>}
                    <span className="under">
                      {name} · {pluralize(rules.length, 'rule')} · <Time at={created} />
                    </span>
                  </button>
                </li>
              ))}
            </ol>
          )}
        </Loaded>
      </Panel>
      <Chosen policy={policy} version={chosen} />
    </div>
  );
}

function Chosen({ policy, version }: { policy: Policy; version: number }) {
  const mayAnalyze = useMayInSecret('analytics:read');
  const mayAudit = useMay('api_keys:manage');
  const [asking, setAsking] = useState(false);
  const [previewing, setPreviewing] = useState(false);
  const shown = useRead('GET /v1/policies/{id}/versions/{version}', { path: { id: policy.id, version } });
  return (
    <div className="stack">
      <Panel
        title={`Version ${version}`}
        actions={
          version !== policy.version && (
            <div className="actions">
              {mayAnalyze && (
                <Button variant="default" onClick={() => setPreviewing(!previewing)}>
                  {previewing ? 'Hide impact' : 'Preview impact'}
                </Button>
              )}
              <MayButton
                permission="policies:write"
                leftSection={<IconArrowBackUp size={16} />}
                onClick={() => setAsking(true)}
              >
                Roll back to this version
              </MayButton>
            </div>
          )
        }
      >
        {previewing && <ImpactOf policyId={policy.id} version={version} />}
        {mayAudit && <WrittenBy policyId={policy.id} version={version} />}
        <Loaded of={shown}>
          {({ rules, defaultAction }) => <RuleSentences rules={rules} defaultAction={defaultAction} />}
        </Loaded>
      </Panel>
      {version > 1 && (
        <Panel title="Changes" lead={`Compared with version ${version - 1}`}>
          <Difference policyId={policy.id} from={version - 1} to={version} />
        </Panel>
      )}
      {version !== policy.version && (
        <Panel title="Changes since" lead={`Compared with version ${policy.version}, which is in force`}>
          <Difference policyId={policy.id} from={version} to={policy.version} />
        </Panel>
      )}
      {asking && <RollBack policy={policy} version={version} onClose={() => setAsking(false)} />}
    </div>
  );
}

/** Names the author of a version, if the latest entries of the audit log about the policy have it. */
function WrittenBy({ policyId, version }: { policyId: string; version: number }) {
  const changes = useRead('GET /v1/audit-log', { query: { object: policyId, limit: 100 } });
  return (
    <Loaded of={changes}>
      {({ data }) => {
        const versionOf = (record: unknown) => (record as { version?: number } | null)?.version;
        const entry = data.find(({ before, after }) => versionOf(after) === version && versionOf(before) !== version);
        if (entry === undefined) return null;
        return (
          <p className="under">
            Written by {entry.actor.name ?? entry.actor.id ?? 'the service'} · <Time at={entry.created} />
          </p>
        );
      }}
    </Loaded>
  );
}

function RollBack({ policy, version, onClose }: { policy: Policy; version: number; onClose: () => void }) {
  const write = useWrite();
  const { set } = useFilters();
  const rollBack = async () => {
    const written = await write('POST /v1/policies/{id}/rollback', {
      path: { id: policy.id },
      ifMatch: `"${policy.version}"`,
      body: { version },
    });
    set({ version: null });
    notify(`Version ${written.version} is in force, with the rules of version ${version}.`);
  };
  return (
    <Confirm title={`Roll back to version ${version}?`} action="Roll back" onClose={onClose} onConfirm={rollBack}>
      Its rules are published as version {policy.version + 1} and apply from the next check on.
    </Confirm>
  );
}

function ImpactOf({ policyId, version }: { policyId: string; version: number }) {
  return <Impact of={useImpact(policyId, { version })} />;
}

export function RuleSentences({ rules, defaultAction }: { rules: readonly Rule[]; defaultAction: 'allow' | 'deny' }) {
  const [json, setJson] = useState(false);
  return (
    <>
      {rules.length === 0 && <Alert color="gray">No rules.</Alert>}
      <ol className="sentences">
        {evaluationOrder(rules).map((place) => {
          const rule = rules[place] as Rule;
          return (
            <li key={place}>
              {/* The number in decisions. */}
              <strong>Rule {place + 1}</strong>{' '}
              <Chip tone={rule.action === 'allow' ? 'allowed' : 'denied'}>{rule.action}</Chip>{' '}
              <span>
                <RuleText rule={rule} />
                {rule.message !== undefined && <span className="under">Message: {rule.message}</span>}
              </span>
            </li>
          );
        })}
        <li>
          <Chip tone={defaultAction === 'allow' ? 'allowed' : 'denied'}>{defaultAction}</Chip>{' '}
          <span>if no rule matches</span>
        </li>
      </ol>
      <Button size="compact-sm" variant="subtle" mt="xs" onClick={() => setJson(!json)}>
        {json ? 'Hide JSON' : 'Show JSON'}
      </Button>
      {json && <Json of={rules} />}
    </>
  );
}

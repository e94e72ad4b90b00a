/** The versions of a policy on a line, what each changed, and the way back. */
import { Alert, Button } from '@mantine/core';
import { IconArrowBackUp } from '@tabler/icons-react';
import { useState } from 'react';
import { useRead, useWrite } from '../api/read.ts';
import { Confirm, MayButton } from '../parts/act.tsx';
import { useFilters } from '../parts/filters.ts';
import { told } from '../parts/notices.tsx';
import { Panel } from '../parts/page.tsx';
import { Chip, Json, Moment } from '../parts/show.tsx';
import { Loaded } from '../parts/states.tsx';
import { useMay } from '../shell/session.tsx';
import { Difference } from './difference.tsx';
import { Impact } from './impact.tsx';
import { evaluationOrder, type Policy, type Rule, ruleWords } from './rules.ts';

export function Versions({ policy }: { policy: Policy }) {
  const { values, set } = useFilters();
  const chosen = Number(values.version ?? policy.version);
  const versions = useRead('GET /v1/policies/{id}/versions', { path: { id: policy.id }, query: { limit: 50 } });
  return (
    <div className="columns versions">
      <Panel title="Versions" lead="Nothing is overwritten; going back writes the old version as a new one.">
        <Loaded of={versions}>
          {({ data }) => (
            <ol className="timeline">
              {data.map(({ version, name, rules, created }) => (
                <li key={version} aria-current={version === chosen}>
                  <button type="button" onClick={() => set({ version: String(version) })}>
                    <strong>Version {version}</strong>{' '}
                    {version === policy.version && <Chip tone="allowed">in force</Chip>}
                    <span className="under">
                      {name} · {rules.length === 1 ? '1 rule' : `${rules.length} rules`} · <Moment at={created} />
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
  const write = useWrite();
  const { set } = useFilters();
  const mayAnalyse = useMay('analytics:read');
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
              {mayAnalyse && (
                <Button variant="default" onClick={() => setPreviewing(!previewing)}>
                  {previewing ? 'Hide the impact' : 'Impact of going back'}
                </Button>
              )}
              <MayButton
                permission="policies:write"
                leftSection={<IconArrowBackUp size={16} />}
                onClick={() => setAsking(true)}
              >
                Roll back to it
              </MayButton>
            </div>
          )
        }
      >
        {previewing && <Impact policyId={policy.id} of={{ version }} />}
        <Loaded of={shown}>
          {({ rules, defaultAction }) => <RuleSentences rules={rules} defaultAction={defaultAction} />}
        </Loaded>
      </Panel>
      {version > 1 && (
        <Panel title="What it changed" lead={`Against version ${version - 1}`}>
          <Difference policyId={policy.id} from={version - 1} to={version} />
        </Panel>
      )}
      {version !== policy.version && (
        <Panel title="What lies between it and now" lead={`Against version ${policy.version}, in force`}>
          <Difference policyId={policy.id} from={version} to={policy.version} />
        </Panel>
      )}
      {asking && (
        <Confirm
          title={`Roll back to version ${version}?`}
          action="Roll back"
          onClose={() => setAsking(false)}
          onConfirm={async () => {
            const written = await write('POST /v1/policies/{id}/rollback', {
              path: { id: policy.id },
              headers: { 'if-match': `"${policy.version}"` },
              body: { version },
            });
            set({ version: null });
            told(`Version ${written.version} is in force; it says what version ${version} said.`);
          }}
        >
          Its rules become version {policy.version + 1} and are in force from the next check on.
        </Confirm>
      )}
    </div>
  );
}

function RuleSentences({ rules, defaultAction }: { rules: readonly Rule[]; defaultAction: 'allow' | 'deny' }) {
  const [json, setJson] = useState(false);
  return (
    <>
      {rules.length === 0 && <Alert color="gray">No rules.</Alert>}
      <ol className="sentences">
        {evaluationOrder(rules).map((place) => {
          const rule = rules[place] as Rule;
          return (
            <li key={place}>
              <Chip tone={rule.action === 'allow' ? 'allowed' : 'denied'}>{rule.action}</Chip>{' '}
              <span>{ruleWords(rule)}</span>
            </li>
          );
        })}
        <li>
          <Chip tone={defaultAction === 'allow' ? 'allowed' : 'denied'}>{defaultAction}</Chip>{' '}
          <span>when no rule holds</span>
        </li>
      </ol>
      <Button size="compact-sm" variant="subtle" mt="xs" onClick={() => setJson(!json)}>
        {json ? 'Hide the JSON' : 'As JSON'}
      </Button>
      {json && <Json of={rules} />}
    </>
  );
}

/** A bench for rules: say who asks for what, and see the decision, rule by rule. Nothing is recorded, nothing used up. */
import { Alert, Button, Select, TagsInput, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { type FormEvent, useState } from 'react';
import { type Answer, call } from '../api/client.ts';
import { useRead } from '../api/read.ts';
import { Explained } from '../decisions/explanation.tsx';
import { Panel } from '../parts/page.tsx';
import { Tags, Verdict } from '../parts/show.tsx';
import { Empty, Failed } from '../parts/states.tsx';
import { useMay } from '../shell/session.tsx';
import { PERMISSIONS } from './condition-table.ts';
import type { Draft } from './rules.ts';

type Decision = Answer<'POST /v1/access/check'>;

interface Check {
  contentId: string;
  requesterId: string;
  permission: string;
  purpose: string;
  country: string;
  ip: string;
  userAgent: string;
  licenseType: string;
  licenseFeatures: string[];
}

const NOBODY: Check = {
  contentId: '',
  requesterId: '',
  permission: '',
  purpose: '',
  country: '',
  ip: '',
  userAgent: '',
  licenseType: '',
  licenseFeatures: [],
};

interface BenchProps {
  draft: Draft;
  policyId: string;
  unsaved: boolean;
}

export function Bench({ draft, policyId, unsaved }: BenchProps) {
  const [check, setCheck] = useState(NOBODY);
  const [decision, setDecision] = useState<Decision>();
  const [error, setError] = useState<Error>();
  const change = (some: Partial<Check>) => setCheck({ ...check, ...some });
  const text = (name: keyof Check, label: string, placeholder: string) => (
    <TextInput
      label={label}
      placeholder={placeholder}
      value={check[name] as string}
      onChange={(event) => change({ [name]: event.currentTarget.value })}
    />
  );

  const run = async (event: FormEvent) => {
    event.preventDefault();
    setError(undefined);
    try {
      const { rules, defaultAction } = draft;
      const answer = await call('POST /v1/policies/simulate', {
        body: { policy: { rules, defaultAction }, checks: [bodyOf(check)] },
      });
      const [first] = answer.data as (Decision | { error: { message: string } })[];
      if (first === undefined || 'error' in first) throw new Error(first?.error.message ?? 'There was no answer.');
      setDecision(first);
    } catch (failed) {
      setDecision(undefined);
      setError(failed as Error);
    }
  };

  return (
    <div className="columns">
      <Panel
        title="Who asks for what"
        lead={unsaved ? 'Tried on the rules as you see them, not yet published.' : 'Tried on the rules in force.'}
      >
        <form className="fields" onSubmit={run}>
          <ItemChoice policyId={policyId} value={check.contentId} onChange={(contentId) => change({ contentId })} />
          <RequesterChoice value={check.requesterId} onChange={(requesterId) => change({ requesterId })} />
          <div className="pair">
            {text('purpose', 'Purpose', 'training')}
            <Select
              label="Permission"
              placeholder="none in particular"
              data={[...PERMISSIONS]}
              value={check.permission === '' ? null : check.permission}
              onChange={(permission) => change({ permission: permission ?? '' })}
              clearable
            />
          </div>
          <div className="pair">
            {text('country', 'Country', 'DE')}
            {text('ip', 'Address', '203.0.113.7')}
          </div>
          {text('userAgent', 'User agent', 'GPTBot/1.2')}
          <div className="pair">
            {text('licenseType', 'A licence of type', 'research')}
            <TagsInput
              label="with features"
              value={check.licenseFeatures}
              onChange={(licenseFeatures) => change({ licenseFeatures })}
              disabled={check.licenseType === ''}
            />
          </div>
          <Button type="submit" disabled={check.contentId === ''}>
            Decide
          </Button>
        </form>
      </Panel>
      <Panel title="The decision">
        {error !== undefined && <Failed error={error} />}
        {decision === undefined && error === undefined && (
          <Empty title="Nothing asked yet">Choose an item, say who asks, and press Decide.</Empty>
        )}
        {decision !== undefined && (
          <div className="stack" data-outcome={decision.reason ?? 'allowed'}>
            <div className="tags">
              <Verdict reason={decision.reason} /> <span>{decision.message}</span>
            </div>
            {decision.allowed && (
              <div>
                <span className="soft small">Granted</span> <Tags of={decision.permissions} />
              </div>
            )}
            {decision.rateLimit !== null && (
              <Alert color="gray" py={6}>
                At most {decision.rateLimit.limit} a {decision.rateLimit.period}; shown here as unused.
              </Alert>
            )}
            <Explained decision={decision} />
          </div>
        )}
      </Panel>
    </div>
  );
}

function bodyOf({
  contentId,
  requesterId,
  permission,
  purpose,
  country,
  ip,
  userAgent,
  licenseType,
  licenseFeatures,
}: Check): object {
  const given = (record: Record<string, unknown>) =>
    Object.fromEntries(Object.entries(record).filter(([, value]) => value !== ''));
  const context = given({ country, ip, userAgent });
  return {
    contentId,
    ...given({ requesterId, permission, purpose }),
    ...(Object.keys(context).length === 0 ? {} : { context }),
    ...(licenseType === '' ? {} : { license: { type: licenseType, features: licenseFeatures } }),
    explain: true,
  };
}

interface ChoiceProps {
  value: string;
  onChange: (value: string) => void;
}

/** Items under this policy first; any other by its words or its id. */
function ItemChoice({ policyId, value, onChange }: ChoiceProps & { policyId: string }) {
  const may = useMay('content:read');
  const [words, setWords] = useState('');
  const [q] = useDebouncedValue(words.trim(), 200);
  const asked = /[\p{L}\p{N}]/u.test(q);
  const items = useRead(
    'GET /v1/content',
    { query: asked ? { q, limit: 20 } : { policyId, limit: 20 } },
    { enabled: may, keep: true },
  );
  if (!may)
    return (
      <TextInput
        label="Item"
        placeholder="Its id or external id"
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        required
      />
    );
  return (
    <Select
      label="Item"
      placeholder="Words of the title"
      data={(items.data?.data ?? []).map(({ id, title, externalId }) => ({
        value: id,
        label: `${title} (${externalId})`,
      }))}
      value={value === '' ? null : value}
      onChange={(id) => onChange(id ?? '')}
      searchable
      onSearchChange={setWords}
      filter={({ options }) => options}
      nothingFoundMessage="No item has these words"
      required
    />
  );
}

/** Registered ones are offered; any other id can be typed. */
function RequesterChoice({ value, onChange }: ChoiceProps) {
  const requesters = useRead('GET /v1/requesters', { query: { limit: 100 } });
  return (
    <TagsInput
      label="Requester"
      placeholder={value === '' ? 'anonymous' : ''}
      data={(requesters.data?.data ?? []).map(({ id }) => id)}
      value={value === '' ? [] : [value]}
      onChange={(ids) => onChange(ids.at(-1) ?? '')}
      acceptValueOnBlur
    />
  );
}

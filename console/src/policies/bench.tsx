/** Tries rules on a request and shows the decision rule by rule. Records nothing and consumes no limit. */

import { Alert, Button, Select, TagsInput, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { type FormEvent, useState } from 'react';
import { GRANTS } from '../../../src/rules/policy.ts';
import { type Answer, type Body, call } from '../api/client.ts';
import { useRead } from '../api/read.ts';
import { Explained } from '../decisions/explanation.tsx';
import { Panel } from '../parts/page.tsx';
import { Tags, Verdict } from '../parts/show.tsx';
import { Empty, Failed } from '../parts/states.tsx';
import { PartnerChoice } from '../requesters/partner-choice.tsx';
import { lacking, useMay, useMayInSecret } from '../shell/session.tsx';
import { permissionName } from './permissions.ts';
import { asDecided, type Draft, periodWords } from './rules.ts';

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

export function Bench(props: BenchProps) {
  // A trial shows items, so it requires the permission to read them.
  const may = useMayInSecret('content:read');
  const why = useMay('content:read')
    ? 'Public keys cannot try rules; sign in with a secret key.'
    : lacking('content:read');
  if (may) return <Trial {...props} />;
  return <Empty title="Your access does not include trying rules">{why}</Empty>;
}

function Trial({ draft, policyId, unsaved }: BenchProps) {
  const [decision, setDecision] = useState<Decision>();
  const [error, setError] = useState<Error>();

  const run = async (check: Check) => {
    setError(undefined);
    try {
      setDecision(await simulate(draft, check));
    } catch (failed) {
      setDecision(undefined);
      setError(failed as Error);
    }
  };

  return (
    <div className="columns">
      <Panel
        title="Request"
        lead={unsaved ? 'Tried with the rules as you see them, not published yet.' : 'Tried with the rules in force.'}
      >
        <CheckForm policyId={policyId} onDecide={run} />
      </Panel>
      <Panel title="The decision">
        {error !== undefined && <Failed error={error} />}
        {decision === undefined && error === undefined && (
          <Empty title="No trial yet">Choose an item and a requester, and press Decide.</Empty>
        )}
        {decision !== undefined && <Decided decision={decision} />}
      </Panel>
    </div>
  );
}

/** Throws the service's refusal of the rules or of the check. */
async function simulate({ rules, defaultAction }: BenchProps['draft'], check: Check): Promise<Decision> {
  const answer = await call('POST /v1/policies/simulate', {
    body: { policy: { rules: asDecided(rules), defaultAction }, checks: [toBody(check)] },
  });
  const [first] = answer.data as (Decision | { error: { message: string } })[];
  if (first === undefined || 'error' in first) throw new Error(first?.error.message ?? 'The service gave no answer.');
  return first;
}

interface CheckFormProps {
  policyId: BenchProps['policyId'];
  onDecide: (check: Check) => void;
}

function CheckForm({ policyId, onDecide }: CheckFormProps) {
  const [check, setCheck] = useState(NOBODY);
  const change = (some: Partial<Check>) => setCheck({ ...check, ...some });
  const text = (name: keyof Check, label: string, placeholder: string) => (
    <TextInput
      label={label}
      placeholder={placeholder}
      value={check[name]}
      onChange={(event) => change({ [name]: event.currentTarget.value })}
    />
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onDecide(check);
  };
  return (
    <form className="fields" onSubmit={submit}>
      <ItemChoice policyId={policyId} value={check.contentId} onChange={(contentId) => change({ contentId })} />
      <PartnerChoice
        label="Partner or bot"
        placeholder="anonymous"
        value={check.requesterId}
        onChange={(requesterId) => change({ requesterId })}
        anyId
      />
      <div className="pair">
        {text('purpose', 'Purpose', 'training')}
        <Select
          label="Right"
          placeholder="none in particular"
          data={GRANTS.map((one) => ({ value: one, label: permissionName(one) }))}
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
        {text('licenseType', 'License your server states', 'research')}
        <TagsInput
          label="With extras"
          value={check.licenseFeatures}
          onChange={(licenseFeatures) => change({ licenseFeatures })}
          disabled={check.licenseType === ''}
        />
      </div>
      <Button type="submit" disabled={check.contentId === ''}>
        Decide
      </Button>
    </form>
  );
}

function Decided({ decision }: { decision: Decision }) {
  return (
    <div className="stack" data-outcome={decision.reason ?? 'allowed'}>
      <div className="tags">
        <Verdict reason={decision.reason} /> <span>{decision.message}</span>
      </div>
      {decision.allowed && (
        <div>
          <span className="soft small">Granted</span> <Tags of={decision.permissions.map(permissionName)} />
        </div>
      )}
      {decision.rateLimit !== null && (
        <Alert color="gray" py={6}>
          At most {decision.rateLimit.limit} {periodWords(decision.rateLimit.period)}; shown here as unused.
        </Alert>
      )}
      <Explained decision={decision} />
    </div>
  );
}

function toBody({
  contentId,
  requesterId,
  permission,
  purpose,
  country,
  ip,
  userAgent,
  licenseType,
  licenseFeatures,
}: Check): Body<'POST /v1/access/check'> {
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

/** Offers the policy's own items first, and others by title. */
function ItemChoice({ policyId, value, onChange }: ChoiceProps & { policyId: string }) {
  const [words, setWords] = useState('');
  const [q] = useDebouncedValue(words.trim(), 200);
  const searches = /[\p{L}\p{N}]/u.test(q);
  const items = useRead(
    'GET /v1/content',
    { query: searches ? { q, limit: 20 } : { policyId, limit: 20 } },
    { keep: true },
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

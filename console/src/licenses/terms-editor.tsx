/** Edits the terms of a license, beside what they make of an example. */
import { Autocomplete, MultiSelect, SegmentedControl, Select, TagsInput, TextInput } from '@mantine/core';
import { useMemo, useState } from 'react';
import { tagOf, useOpened } from '../api/opened.ts';
import { useWrite } from '../api/read.ts';
import { ZONE } from '../parts/days.ts';
import { Dialog } from '../parts/dialog.tsx';
import { FormFoot } from '../parts/form-foot.tsx';
import { notify } from '../parts/notices.tsx';
import { formatDay } from '../parts/show.tsx';
import { useWork } from '../parts/work.ts';
import type { License } from '../requesters/types.ts';
import './licenses.css';
import { type LicenseDates, WorkedExample } from './terms-example.tsx';
import { faultsOf, nextPeriod, type PartProps, type TermsFields, toFields, toTerms } from './terms-fields.ts';
import { Tiers } from './tiers.tsx';

const CURRENCIES = ['EUR', 'USD', 'GBP', 'CHF', 'JPY', 'SEK', 'DKK', 'NOK', 'PLN', 'CAD', 'AUD'];
const PERIODS = [
  { value: 'month', label: 'Month' },
  { value: 'quarter', label: 'Quarter' },
  { value: 'year', label: 'Year' },
];
const QUOTA_PERIODS = [
  { value: 'day', label: 'a day' },
  { value: 'week', label: 'a week' },
  { value: 'month', label: 'a month' },
  { value: 'quarter', label: 'a quarter' },
  { value: 'year', label: 'a year' },
  { value: 'term', label: 'the whole license' },
];
const UNITS = [
  { value: 'decision', label: 'Every request' },
  { value: 'distinct_content', label: 'Each item once' },
];
const EXCEEDED = [
  { value: 'allow', label: 'Allow and bill' },
  { value: 'deny', label: 'Deny' },
];
const PARTIAL = [
  { value: 'no', label: 'In full' },
  { value: 'yes', label: 'By days' },
];
const ALERTS = ['25', '50', '75', '80', '90', '100'].map((value) => ({ value, label: `${value} %` }));

interface TermsEditorProps {
  license: License;
  onClose: () => void;
}

export function TermsEditor({ license: shown, onClose }: TermsEditorProps) {
  const license = useOpened(shown);
  const write = useWrite();
  const [fields, setFields] = useState(() => toFields(license.terms));
  const [effective, setEffective] = useState('next_period');
  const change = (changed: Partial<TermsFields>) => setFields({ ...fields, ...changed });
  const faults = faultsOf(fields);
  const isFirst = license.terms === null;
  const { busy, error, start } = useWork(async () => {
    const now = !isFirst && effective === 'now' ? { effective: 'now' as const } : {};
    const path = { id: license.id };
    const ifMatch = await tagOf('GET /v1/licenses/{id}', { path }, license);
    await write('PATCH /v1/licenses/{id}', { path, body: { terms: toTerms(fields), ...now }, ifMatch });
    notify('The terms are saved.');
    onClose();
  });
  return (
    <Dialog onClose={onClose} title={isFirst ? 'Terms of the license' : 'Edit the terms'} size="64rem">
      <form onSubmit={start} className="fields">
        <TermsForm fields={fields} faults={faults} onChange={change} dates={isFirst ? license : undefined} />
        {!isFirst && <Effective period={fields.period} value={effective} onChange={setEffective} />}
        <FormFoot
          error={error?.message}
          busy={busy}
          action="Save terms"
          disabled={Object.keys(faults).length > 0}
          onCancel={onClose}
        />
      </form>
    </Dialog>
  );
}

interface TermsFormProps extends PartProps {
  /** The dates of a license without terms so far, whose first bill is shown. */
  dates: LicenseDates | undefined;
}

/** All fields of terms, beside the example. */
export function TermsForm({ dates, ...props }: TermsFormProps) {
  const { fields, faults } = props;
  return (
    <div className="terms-editor">
      <div className="fields">
        <Contract {...props} />
        <Tiers {...props} />
        <Fees {...props} />
        <QuotaFields {...props} />
      </div>
      <WorkedExample fields={fields} sound={Object.keys(faults).length === 0} dates={dates} />
    </div>
  );
}

function Contract({ fields, faults, onChange }: PartProps) {
  const zones = useMemo(() => [...new Set(['UTC', ZONE, ...Intl.supportedValuesOf('timeZone')])], []);
  return (
    <>
      <div className="pair">
        <TextInput
          label="Your name of the contract"
          placeholder="Contract 12"
          value={fields.reference}
          maxLength={200}
          onChange={(event) => onChange({ reference: event.currentTarget.value })}
          data-autofocus
        />
        <Autocomplete
          label="Currency"
          data={CURRENCIES}
          value={fields.currency}
          error={faults.currency}
          onChange={(currency) => onChange({ currency: currency.toUpperCase() })}
          maxLength={3}
        />
      </div>
      <div className="pair">
        <Choice
          label="A statement for each"
          data={PERIODS}
          value={fields.period}
          onChange={(period) => onChange({ period: period as TermsFields['period'] })}
        />
        <Select
          label="Months and days of"
          data={zones}
          value={fields.timezone}
          searchable
          allowDeselect={false}
          limit={50}
          onChange={(timezone) => timezone !== null && onChange({ timezone })}
        />
      </div>
      <div className="pair">
        <Choice
          label="What counts"
          data={UNITS}
          value={fields.unit}
          onChange={(unit) => onChange({ unit: unit as TermsFields['unit'] })}
        />
        <TagsInput
          label="Purposes that count"
          placeholder={fields.purposes.length === 0 ? 'all' : ''}
          value={fields.purposes}
          maxTags={50}
          onChange={(purposes) => onChange({ purposes })}
        />
      </div>
    </>
  );
}

function Fees({ fields, faults, onChange }: PartProps) {
  const field = (name: 'minimum' | 'flat', label: string) => (
    <TextInput
      label={`${label} (${fields.currency})`}
      placeholder="none"
      inputMode="decimal"
      value={fields[name]}
      error={faults[name]}
      onChange={(event) => onChange({ [name]: event.currentTarget.value })}
    />
  );
  return (
    <>
      <div className="pair">
        {field('minimum', `Least per ${fields.period}`)}
        {field('flat', `Fee per ${fields.period}`)}
      </div>
      <Choice
        label="A first or last period that is not whole: minimum, fee and quota"
        data={PARTIAL}
        value={fields.prorate === 'yes' ? 'yes' : 'no'}
        onChange={(prorate) => onChange({ prorate: prorate as TermsFields['prorate'] })}
      />
    </>
  );
}

function QuotaFields({ fields, faults, onChange }: PartProps) {
  return (
    <>
      <div className="pair">
        <TextInput
          label="Quota"
          placeholder="no quota"
          inputMode="numeric"
          value={fields.quotaUnits}
          error={faults.quotaUnits}
          onChange={(event) => onChange({ quotaUnits: event.currentTarget.value })}
        />
        <Select
          label="In"
          data={QUOTA_PERIODS}
          value={fields.quotaPeriod === '' ? fields.period : fields.quotaPeriod}
          allowDeselect={false}
          onChange={(period) => onChange({ quotaPeriod: (period ?? '') as TermsFields['quotaPeriod'] })}
        />
      </div>
      {fields.quotaUnits !== '' && (
        <div className="pair">
          <Choice
            label="When it is used up"
            data={EXCEEDED}
            value={fields.onExceed}
            onChange={(onExceed) => onChange({ onExceed: onExceed as TermsFields['onExceed'] })}
          />
          <MultiSelect
            label="Notify at"
            data={ALERTS}
            value={fields.alerts}
            onChange={(alerts) => onChange({ alerts })}
          />
        </div>
      )}
    </>
  );
}

interface ChoiceProps {
  label: string;
  data: { value: string; label: string }[];
  value: string;
  onChange: (value: string) => void;
}

export function Choice({ label, ...control }: ChoiceProps) {
  return (
    <div>
      <div className="choice-label">{label}</div>
      <SegmentedControl aria-label={label} fullWidth {...control} />
    </div>
  );
}

interface EffectiveProps {
  period: TermsFields['period'];
  value: string;
  onChange: (value: string) => void;
}

function Effective({ period, value, onChange }: EffectiveProps) {
  const next = formatDay(`${nextPeriod(period)}T12:00:00`);
  return (
    <Choice
      label="From when"
      data={[
        { value: 'next_period', label: `The next ${period}, ${next}` },
        { value: 'now', label: `Now, for the whole running ${period}` },
      ]}
      value={value}
      onChange={onChange}
    />
  );
}

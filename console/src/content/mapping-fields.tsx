/** Maps the columns of a file to fields of items, with defaults for rows without a value. */
import '@mantine/core/styles/Checkbox.css';
import { Checkbox, Select } from '@mantine/core';
import { CONTENT_TYPES } from '../../../client/src/generated/vocabularies.ts';
import { usePolicyChoices } from '../policies/names.ts';
import { type Defaults, FIELDS, type Field, LABELS, type Mapping, type Plan, REQUIRED } from './rows.ts';

interface MappingFieldsProps {
  columns: string[];
  plan: Plan;
  onChange: (plan: Plan) => void;
}

export function MappingFields({ columns, plan, onChange }: MappingFieldsProps) {
  return (
    <>
      <div className="pair">
        {FIELDS.map((field) => (
          <Select
            key={field}
            label={LABELS[field]}
            placeholder="none"
            data={columns}
            value={plan.mapping[field] ?? null}
            onChange={(column) => onChange({ ...plan, mapping: withColumn(plan.mapping, field, column) })}
            withAsterisk={REQUIRED.includes(field)}
            clearable
            searchable
          />
        ))}
      </div>
      <DefaultFields defaults={plan.defaults} onChange={(defaults) => onChange({ ...plan, defaults })} />
      <Checkbox
        mt="md"
        label="Keep the other columns as metadata"
        checked={plan.extra}
        onChange={(event) => onChange({ ...plan, extra: event.currentTarget.checked })}
      />
    </>
  );
}

function withColumn(mapping: Mapping, field: Field, column: string | null): Mapping {
  const { [field]: _, ...rest } = mapping;
  return column === null ? rest : { ...rest, [field]: column };
}

interface DefaultFieldsProps {
  defaults: Defaults;
  onChange: (defaults: Defaults) => void;
}

function DefaultFields({ defaults, onChange }: DefaultFieldsProps) {
  const choices = usePolicyChoices();
  return (
    <div className="pair below">
      <Select
        label="Type, where a row has none"
        data={[...CONTENT_TYPES]}
        value={defaults.type || null}
        onChange={(type) => onChange({ ...defaults, type: type ?? '' })}
        clearable
      />
      <Select
        label="Policy, where a row has none"
        data={choices}
        value={defaults.policyId || null}
        onChange={(policyId) => onChange({ ...defaults, policyId: policyId ?? '' })}
        clearable
        searchable
      />
    </div>
  );
}

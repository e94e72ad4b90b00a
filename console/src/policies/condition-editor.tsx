/** The editor of a condition, with fields for its kind of value. */
import { ActionIcon, Button, Group, MultiSelect, Select, TagsInput, TextInput, Tooltip } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { IconTrash } from '../parts/icons.ts';
import { type ConditionRow, findRow, getVerb } from './condition-table.ts';
import { RecordChoices } from './record-choices.tsx';
import { SuggestedTexts } from './suggested-texts.tsx';

interface ConditionEditorProps {
  name: string;
  value: unknown;
  onChange: (name: string, value: unknown) => void;
  onRemove: () => void;
  /** The condition is new, so the focus goes to its value. */
  added: boolean;
}

export function ConditionEditor({ name, value, onChange, onRemove, added }: ConditionEditorProps) {
  const found = findRow(name);
  const fields = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!added) return;
    const inputs = ['.value input', 'input', '.value button'].map((one) =>
      fields.current?.querySelector<HTMLElement>(one),
    );
    inputs.find((one) => one)?.focus();
  }, [added]);
  if (found === undefined) {
    return (
      <div className="condition">
        <code>{name}</code>
        <code>{JSON.stringify(value)}</code>
      </div>
    );
  }
  const { row, negated } = found;
  return (
    <div className="condition" ref={fields}>
      <Tooltip label={row.about}>
        <span className="key">{row.label}</span>
      </Tooltip>
      {row.kind === 'flag' ? (
        <Select
          aria-label={row.label}
          data={row.key === 'default' ? EVERY_CHECK : YES_OR_NO}
          value={String(value)}
          onChange={(chosen) => onChange(name, chosen === 'true')}
          allowDeselect={false}
        />
      ) : row.kind === 'verified' ? (
        <Select
          aria-label={row.label}
          data={VERIFIED}
          value={Array.isArray(value) ? 'by' : String(value)}
          onChange={(chosen) => onChange(name, chosen === 'by' ? ['signature', 'ip'] : chosen === 'true')}
          allowDeselect={false}
        />
      ) : (
        <Verb row={row} negated={negated} onChange={(key) => onChange(key, value)} />
      )}
      <div className="value">
        <Value row={row} value={value} onChange={(next) => onChange(name, next)} />
      </div>
      <ActionIcon variant="subtle" color="gray" onClick={onRemove} aria-label={`Remove condition ${row.label}`}>
        <IconTrash size={16} />
      </ActionIcon>
    </div>
  );
}

const EVERY_CHECK = [{ value: 'true', label: 'every check' }];
const YES_OR_NO = [
  { value: 'true', label: 'yes' },
  { value: 'false', label: 'no' },
];
const VERIFIED = [...YES_OR_NO, { value: 'by', label: 'by' }];

interface VerbProps {
  row: ConditionRow;
  negated: boolean;
  onChange: (key: string) => void;
}

function Verb({ row, negated, onChange }: VerbProps) {
  const verbs = [{ value: row.key, label: getVerb(row, false) }];
  if (row.negatable) verbs.push({ value: `${row.key}Not`, label: getVerb(row, true) });
  return (
    <Select
      className="verb"
      aria-label={`Comparison of ${row.label}`}
      data={verbs}
      value={negated ? `${row.key}Not` : row.key}
      onChange={(key) => onChange(key ?? row.key)}
      allowDeselect={false}
      disabled={!row.negatable}
    />
  );
}

interface ValueProps {
  row: ConditionRow;
  value: unknown;
  onChange: (value: unknown) => void;
}

/** Keeps a single text single, so that opening a policy does not change it. */
const toList = (value: unknown): string[] =>
  Array.isArray(value) ? value.map(String) : typeof value === 'string' && value !== '' ? [value] : [];

function Value(props: ValueProps) {
  const { row, value, onChange } = props;
  switch (row.kind) {
    case 'flag':
      return null;
    case 'verified':
      return Array.isArray(value) ? <Choices {...props} /> : null;
    case 'texts':
      return <SuggestedTexts row={row} value={toList(value)} onChange={onChange} />;
    case 'records':
      return <RecordChoices row={row} source={row.source ?? 'requester'} value={toList(value)} onChange={onChange} />;
    case 'choices':
      return <Choices {...props} />;
    case 'expiry':
      return (
        <Fields
          {...props}
          names={[
            ['after', 'At or after'],
            ['before', 'Before'],
          ]}
          hint="now, or 2027-01-01T00:00:00Z"
        />
      );
    case 'time':
      return <Hours {...props} />;
    case 'metadata':
      return <Metadata {...props} />;
  }
}

const Choices = ({ row, value, onChange }: ValueProps) => (
  <MultiSelect
    aria-label={row.kind === 'verified' ? `${row.label} by` : row.label}
    data={(row.values ?? []).map((one) => ({ value: one, label: row.words?.[one] ?? one }))}
    value={toList(value)}
    onChange={onChange}
  />
);

const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];

function Hours(props: ValueProps) {
  const time = props.value as { days?: string[] };
  return (
    <div className="fields">
      <MultiSelect
        aria-label="Days"
        placeholder="Every day"
        data={DAYS}
        value={time.days ?? []}
        onChange={(days) =>
          props.onChange(set(time, 'days', days.length === 0 ? undefined : DAYS.filter((day) => days.includes(day))))
        }
      />
      <Fields
        {...props}
        names={[
          ['from', 'From (09:00)'],
          ['to', 'To (17:30)'],
          ['timezone', 'Time zone'],
          ['after', 'Not before'],
          ['before', 'Until'],
        ]}
        hint=""
      />
    </div>
  );
}

interface FieldsProps extends ValueProps {
  names: readonly (readonly [string, string])[];
  hint: string;
}

function Fields({ value, onChange, names, hint }: FieldsProps) {
  const record = value as Record<string, string | undefined>;
  return (
    <Group gap="xs" grow preventGrowOverflow={false}>
      {names.map(([name, label]) => (
        <Typed
          key={`${name} ${record[name] ?? ''}`}
          label={label}
          hint={hint === '' ? label : `${label}: ${hint}`}
          value={record[name] ?? ''}
          onChange={(text) => onChange(set(record, name, text || undefined))}
        />
      ))}
    </Group>
  );
}

interface TypedProps {
  label: string;
  hint: string;
  value: string;
  onChange: (text: string) => void;
}

/** A text that counts once it is typed: half a time or date is no fault. */
function Typed({ label, hint, value, onChange }: TypedProps) {
  const [text, setText] = useState(value);
  return (
    <TextInput
      aria-label={label}
      placeholder={label}
      title={hint}
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
      onBlur={() => text !== value && onChange(text)}
    />
  );
}

const ENTITIES: readonly string[] = ['subject.', 'action.', 'resource.'];

/** Returns the fault of an attribute's key; undefined while it may still become one. */
const faultOfAttribute = (key: string): string | undefined =>
  ENTITIES.some((one) => key.startsWith(one) || one.startsWith(key))
    ? undefined
    : `Start with ${ENTITIES.join(' or ')}`;

function Metadata({ row, value, onChange }: ValueProps) {
  const isAttribute = row.key === 'attributes';
  const written = Object.entries(value as Record<string, unknown>);
  const entries: [string, unknown][] = written.length === 0 ? [['', []]] : written;
  const write = (next: [string, unknown][]) => onChange(Object.fromEntries(next));
  return (
    <div className="fields">
      {entries.map(([key, wanted], i) => (
        <Group key={i} gap="xs">
          <TextInput
            flex="1 1 120px"
            aria-label={isAttribute ? 'Attribute key' : 'Metadata key'}
            placeholder={isAttribute ? 'subject.role' : 'key'}
            error={isAttribute && faultOfAttribute(key)}
            value={key}
            onChange={(event) => write(entries.with(i, [event.currentTarget.value, wanted]))}
          />
          <TagsInput
            flex="2 1 160px"
            aria-label={`Values of ${key}`}
            placeholder="value"
            value={(Array.isArray(wanted) ? wanted : [wanted]).map((one) =>
              typeof one === 'string' ? one : JSON.stringify(one),
            )}
            onChange={(texts) => write(entries.with(i, [key, texts.map(parseScalar)]))}
            acceptValueOnBlur
          />
        </Group>
      ))}
      <Button size="compact-xs" variant="subtle" onClick={() => write([...entries, ['', []]])}>
        Add a key
      </Button>
    </div>
  );
}

/** Parses numbers, true, false and null; other text stays text. */
function parseScalar(text: string): unknown {
  return /^(-?\d+(\.\d+)?|true|false|null)$/.test(text) ? JSON.parse(text) : text;
}

function set(record: object, name: string, value: unknown): object {
  const { [name]: _, ...rest } = record as Record<string, unknown>;
  return value === undefined ? rest : { ...record, [name]: value };
}

/** One rule: what it does, when, and what it grants. */
import '@mantine/core/styles/NumberInput.css';
import {
  ActionIcon,
  Alert,
  Button,
  Collapse,
  Group,
  Menu,
  NumberInput,
  SegmentedControl,
  Select,
  TagsInput,
  Textarea,
  Tooltip,
} from '@mantine/core';
import {
  IconAlertTriangle,
  IconArrowDown,
  IconArrowUp,
  IconChevronDown,
  IconChevronRight,
  IconCopy,
  IconGripVertical,
  IconPlus,
  IconTrash,
} from '@tabler/icons-react';
import type { HTMLAttributes } from 'react';
import { Chip, Words } from '../parts/show.tsx';
import { ConditionEditor } from './condition-editor.tsx';
import { initialValue, PERMISSIONS } from './condition-table.ts';
import { type Conditions, freeConditions, type Rule, ruleWords } from './rules.ts';

const PERIODS = ['second', 'minute', 'hour', 'day', 'week', 'month'];
const SCOPES = [
  { value: 'requester', label: 'for each requester' },
  { value: 'content', label: 'for each item' },
  { value: 'global', label: 'for everybody together' },
];

interface RuleCardProps {
  rule: Rule;
  /** Its number in the order of asking, from 1. */
  number: number;
  of: number;
  open: boolean;
  onToggle: () => void;
  problems: readonly { message: string; refused: boolean }[];
  readOnly: boolean;
  handle: HTMLAttributes<HTMLElement>;
  onChange: (rule: Rule) => void;
  onMove: (by: -1 | 1) => void;
  onCopy: () => void;
  onRemove: () => void;
}

export function RuleCard({
  rule,
  number,
  of,
  open,
  onToggle,
  problems,
  readOnly,
  handle,
  onChange,
  onMove,
  onCopy,
  onRemove,
}: RuleCardProps) {
  return (
    <div className="rule-card" data-action={rule.action}>
      <div className="rule-head">
        {!readOnly && (
          <ActionIcon
            variant="subtle"
            color="gray"
            {...handle}
            aria-label={`Move rule ${number}: press space, then arrows`}
          >
            <IconGripVertical size={16} />
          </ActionIcon>
        )}
        <button type="button" className="rule-title" aria-expanded={open} onClick={onToggle}>
          {open ? <IconChevronDown size={16} /> : <IconChevronRight size={16} />}
          <span className="number-badge">{number}</span>
          <Chip tone={rule.action === 'allow' ? 'allowed' : 'denied'}>{rule.action}</Chip>
          <span className="words">{ruleWords(rule)}</span>
          {problems.length > 0 && (
            <IconAlertTriangle
              size={16}
              className={problems.some(({ refused }) => refused) ? 'not-held' : 'warned'}
              aria-label="Has warnings"
            />
          )}
        </button>
        {!readOnly && (
          <Group gap={0} wrap="nowrap" className="rule-tools">
            <Tool
              label={`Move rule ${number} up`}
              disabled={number === 1}
              onClick={() => onMove(-1)}
              icon={<IconArrowUp size={16} />}
            />
            <Tool
              label={`Move rule ${number} down`}
              disabled={number === of}
              onClick={() => onMove(1)}
              icon={<IconArrowDown size={16} />}
            />
            <Tool label={`Copy rule ${number}`} onClick={onCopy} icon={<IconCopy size={16} />} />
            <Tool label={`Remove rule ${number}`} onClick={onRemove} icon={<IconTrash size={16} />} />
          </Group>
        )}
      </div>
      {problems.map(({ message, refused }) => (
        <Alert
          key={message}
          color={refused ? 'red' : 'yellow'}
          icon={<IconAlertTriangle size={16} />}
          mx="sm"
          mb="sm"
          py={6}
        >
          <Words of={message} />
        </Alert>
      ))}
      <Collapse expanded={open}>{open && <RuleFields rule={rule} readOnly={readOnly} onChange={onChange} />}</Collapse>
    </div>
  );
}

interface ToolProps {
  label: string;
  disabled?: boolean;
  onClick: () => void;
  icon: React.ReactNode;
}

function Tool({ label, disabled = false, onClick, icon }: ToolProps) {
  return (
    <Tooltip label={label}>
      <ActionIcon variant="subtle" color="gray" disabled={disabled} onClick={onClick} aria-label={label}>
        {icon}
      </ActionIcon>
    </Tooltip>
  );
}

function RuleFields({ rule, readOnly, onChange }: Pick<RuleCardProps, 'rule' | 'readOnly' | 'onChange'>) {
  const conditions = (rule.conditions ?? {}) as Conditions;
  /** Absent stays absent, so that what was not touched is sent as it came. */
  const change = (name: keyof Rule, value: unknown) => {
    const { [name]: _, ...rest } = rule;
    onChange((value === undefined ? rest : { ...rule, [name]: value }) as Rule);
  };
  const setConditions = (entries: [string, unknown][]) => change('conditions', Object.fromEntries(entries));
  const entries = Object.entries(conditions);
  return (
    <div className="rule-body">
      <SegmentedControl
        aria-label="Action"
        data={[
          { value: 'allow', label: 'Allow' },
          { value: 'deny', label: 'Deny' },
        ]}
        value={rule.action}
        onChange={(action) => change('action', action)}
        disabled={readOnly}
      />
      <fieldset>
        <legend>When all of this holds</legend>
        {entries.length === 0 && <p className="soft small">No conditions: it always holds.</p>}
        {entries.map(([name, value], i) => (
          <ConditionEditor
            key={name}
            name={name}
            value={value}
            readOnly={readOnly}
            onChange={(nextName, next) => setConditions(entries.with(i, [nextName, next]))}
            onRemove={() => setConditions(entries.toSpliced(i, 1))}
          />
        ))}
        {!readOnly && (
          <AddCondition conditions={conditions} onAdd={(name, value) => setConditions([...entries, [name, value]])} />
        )}
      </fieldset>
      {rule.action === 'allow' && (
        <fieldset>
          <legend>It grants</legend>
          <TagsInput
            aria-label="Permissions granted"
            placeholder={rule.permissions === undefined ? 'full_access' : ''}
            data={[...PERMISSIONS]}
            value={rule.permissions ?? []}
            onChange={(permissions) => change('permissions', permissions.length === 0 ? undefined : permissions)}
            disabled={readOnly}
          />
          <Limit rule={rule} readOnly={readOnly} onChange={(limit) => change('rateLimit', limit)} />
        </fieldset>
      )}
      <Textarea
        label="Message"
        description="Given with the decision, for people: whom to write to, for example."
        value={rule.message ?? ''}
        onChange={(event) =>
          change('message', event.currentTarget.value === '' ? undefined : event.currentTarget.value)
        }
        maxLength={500}
        autosize
        disabled={readOnly}
      />
    </div>
  );
}

function Limit({
  rule,
  readOnly,
  onChange,
}: {
  rule: Rule;
  readOnly: boolean;
  onChange: (limit: Rule['rateLimit']) => void;
}) {
  const limit = rule.rateLimit;
  if (limit === undefined) {
    if (readOnly) return null;
    return (
      <Button
        mt="xs"
        size="compact-sm"
        variant="subtle"
        leftSection={<IconPlus size={14} />}
        onClick={() => onChange({ requests: 100, period: 'hour' })}
      >
        Limit how often
      </Button>
    );
  }
  return (
    <Group mt="xs" gap="xs">
      <NumberInput
        aria-label="Requests"
        w={120}
        min={1}
        max={1_000_000_000}
        value={limit.requests}
        onChange={(requests) => onChange({ ...limit, requests: Number(requests) || 1 })}
        disabled={readOnly}
      />
      <Select
        aria-label="Period"
        w={130}
        data={PERIODS.map((value) => ({ value, label: `a ${value}` }))}
        value={limit.period}
        onChange={(period) => onChange({ ...limit, period: period as 'hour' })}
        allowDeselect={false}
        disabled={readOnly}
      />
      <Select
        aria-label="Counted"
        w={210}
        data={SCOPES}
        value={limit.scope ?? 'requester'}
        onChange={(scope) => onChange({ ...limit, scope: scope as 'requester' })}
        allowDeselect={false}
        disabled={readOnly}
      />
      {!readOnly && (
        <ActionIcon variant="subtle" color="gray" onClick={() => onChange(undefined)} aria-label="Take the limit away">
          <IconTrash size={16} />
        </ActionIcon>
      )}
    </Group>
  );
}

function AddCondition({
  conditions,
  onAdd,
}: {
  conditions: Conditions;
  onAdd: (name: string, value: unknown) => void;
}) {
  const groups = Map.groupBy(freeConditions(conditions), ({ group }) => group);
  return (
    <Menu position="bottom-start" shadow="md" width={300}>
      <Menu.Target>
        <Button size="compact-sm" variant="subtle" leftSection={<IconPlus size={14} />}>
          Add a condition
        </Button>
      </Menu.Target>
      <Menu.Dropdown className="tall">
        {[...groups].map(([group, rows]) => (
          <div key={group}>
            <Menu.Label>{group}</Menu.Label>
            {rows.map((row) => (
              <Menu.Item key={row.key} onClick={() => onAdd(row.key, initialValue(row))}>
                {row.label}
                <span className="under">{row.about}</span>
              </Menu.Item>
            ))}
          </div>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

/** The form of a rule: action, conditions, grant. */
import { Alert, Button, Menu, SegmentedControl, Textarea } from '@mantine/core';
import { useState } from 'react';
import { IconPlus } from '../parts/icons.ts';
import { ConditionEditor } from './condition-editor.tsx';
import { GrantFields } from './grant-fields.tsx';
import { initialValue } from './initial-value.ts';
import { permissionName } from './permissions.ts';
import {
  type Conditions,
  freeConditions,
  type Grant,
  isSilent,
  NOTHING_YET,
  periodWords,
  type Rule,
  withoutGrant,
} from './rules.ts';

interface RuleFieldsProps {
  rule: Rule;
  onChange: (rule: Rule) => void;
}

export function RuleFields({ rule, onChange }: RuleFieldsProps) {
  // The grant from before the rule became a denial, restored when it allows again.
  const [grantBefore, setGrantBefore] = useState<Grant>({});
  /** Keeps absent fields absent, so that untouched fields are sent as received. */
  const change = (name: keyof Rule, value: unknown) => {
    const { [name]: _, ...rest } = rule;
    onChange((value === undefined ? rest : { ...rule, [name]: value }) as Rule);
  };
  const turn = (action: Rule['action']) => {
    const { rest, grant } = withoutGrant(rule);
    if (action === 'deny') setGrantBefore(grant);
    onChange(action === 'deny' ? { ...rest, action } : { ...rest, action, ...grantBefore, ...grant });
  };
  return (
    <div className="rule-body">
      <SegmentedControl
        aria-label="Action"
        data={[
          { value: 'allow', label: 'Allow' },
          { value: 'deny', label: 'Deny' },
        ]}
        value={rule.action}
        onChange={(action) => turn(action)}
      />
      <ConditionFields conditions={rule.conditions ?? {}} onChange={(conditions) => change('conditions', conditions)} />
      {rule.action === 'allow' ? (
        <GrantFields rule={rule} onChange={change} />
      ) : (
        <IgnoredGrant rule={rule} onChange={onChange} />
      )}
      <Textarea
        label="Message"
        description="Sent with the decision, for people: whom to write to, for example."
        value={rule.message ?? ''}
        onChange={(event) =>
          change('message', event.currentTarget.value === '' ? undefined : event.currentTarget.value)
        }
        maxLength={500}
        autosize
      />
    </div>
  );
}

interface ConditionFieldsProps {
  conditions: Conditions;
  onChange: (conditions: Conditions) => void;
}

function ConditionFields({ conditions, onChange }: ConditionFieldsProps) {
  const [added, setAdded] = useState<string>();
  const silent = isSilent(conditions);
  const entries = silent ? [] : Object.entries(conditions);
  // Without a condition, the rule would match everybody.
  const set = (changed: [string, unknown][]) =>
    onChange(changed.length === 0 ? NOTHING_YET : Object.fromEntries(changed));
  const add = (name: string, value: unknown) => {
    setAdded(name);
    set([...entries, [name, value]]);
  };
  return (
    <fieldset>
      <legend>If all of this matches</legend>
      {silent && <p className="soft small">No condition yet: until you add one, this rule does nothing.</p>}
      {!silent && entries.length === 0 && <p className="soft small">No conditions: it matches every check.</p>}
      {entries.map(([name, value], i) => (
        <ConditionEditor
          key={name}
          name={name}
          value={value}
          onChange={(nextName, next) => set(entries.with(i, [nextName, next]))}
          onRemove={() => set(entries.toSpliced(i, 1))}
          added={name === added}
        />
      ))}
      <AddCondition conditions={silent ? {} : conditions} onAdd={add} />
    </fieldset>
  );
}

/** Shows the grant of a deny rule that was written elsewhere. */
function IgnoredGrant({ rule, onChange }: RuleFieldsProps) {
  const { rest, grant } = withoutGrant(rule);
  const names = [
    ...(grant.permissions === undefined ? [] : [`the permissions ${grant.permissions.map(permissionName).join(', ')}`]),
    ...(grant.rateLimit === undefined
      ? []
      : [`a limit of ${grant.rateLimit.requests} ${periodWords(grant.rateLimit.period)}`]),
  ];
  if (names.length === 0) return null;
  return (
    <Alert color="gray" py={8}>
      <p className="flat">This rule also carries {names.join(' and ')}. A deny rule ignores them.</p>
      <Button size="compact-sm" variant="default" onClick={() => onChange(rest)}>
        Remove
      </Button>
    </Alert>
  );
}

interface AddConditionProps {
  conditions: Conditions;
  onAdd: (name: string, value: unknown) => void;
}

function AddCondition({ conditions, onAdd }: AddConditionProps) {
  const groups = Map.groupBy(freeConditions(conditions), ({ group }) => group);
  return (
    <Menu position="bottom-start" shadow="md" width={300} returnFocus={false}>
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

/** The grant of an allow rule and its rate limit. */
import { GRANTS } from '../../../src/rules/policy.ts';
import '@mantine/core/styles/NumberInput.css';
import { ActionIcon, Button, Group, NumberInput, Pill, Select, TagsInput } from '@mantine/core';
import { IconPlus, IconTrash } from '../parts/icons.ts';
import { permissionName } from './permissions.ts';
import { periodWords, type Rule } from './rules.ts';

const PERIODS = ['second', 'minute', 'hour', 'day', 'week', 'month'];
const SCOPES = [
  { value: 'requester', label: 'for each requester' },
  { value: 'content', label: 'for each item' },
  { value: 'collection', label: 'for each collection' },
  { value: 'global', label: 'for everybody together' },
];

interface GrantFieldsProps {
  rule: Rule;
  onChange: (name: 'permissions' | 'rateLimit', value: unknown) => void;
}

export function GrantFields({ rule, onChange }: GrantFieldsProps) {
  return (
    <fieldset>
      <legend>It grants</legend>
      <TagsInput
        aria-label="Permissions granted"
        placeholder={rule.permissions === undefined ? permissionName('full_access') : ''}
        data={[...GRANTS]}
        renderOption={({ option }) => permissionName(option.value)}
        renderPill={({ value, onRemove, disabled }) => (
          <Pill withRemoveButton={!disabled} onRemove={() => onRemove?.()}>
            {permissionName(value ?? '')}
          </Pill>
        )}
        value={rule.permissions ?? []}
        onChange={(permissions) => onChange('permissions', permissions.length === 0 ? undefined : permissions)}
      />
      <Limit rule={rule} onChange={(limit) => onChange('rateLimit', limit)} />
    </fieldset>
  );
}

interface LimitProps {
  rule: Rule;
  onChange: (limit: Rule['rateLimit']) => void;
}

function Limit({ rule, onChange }: LimitProps) {
  const limit = rule.rateLimit;
  if (limit === undefined) {
    return (
      <Button
        mt="xs"
        size="compact-sm"
        variant="subtle"
        leftSection={<IconPlus size={14} />}
        onClick={() => onChange({ requests: 100, period: 'hour' })}
      >
        Add a limit
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
        allowDecimal={false}
        value={limit.requests}
        onChange={(requests) => onChange({ ...limit, requests: Number(requests) || 1 })}
      />
      <Select
        aria-label="Period"
        w={130}
        data={PERIODS.map((value) => ({ value, label: periodWords(value) }))}
        value={limit.period}
        onChange={(period) => onChange({ ...limit, period: period as 'hour' })}
        allowDeselect={false}
      />
      <Select
        aria-label="Counted"
        w={210}
        data={SCOPES}
        value={limit.scope ?? 'requester'}
        onChange={(scope) => onChange({ ...limit, scope: scope as 'requester' })}
        allowDeselect={false}
      />
      <ActionIcon variant="subtle" color="gray" onClick={() => onChange(undefined)} aria-label="Remove limit">
        <IconTrash size={16} />
      </ActionIcon>
    </Group>
  );
}

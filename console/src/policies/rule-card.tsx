/** A rule of the list: a sentence with its problems, and its form when open. */
import { ActionIcon, Alert, Collapse, Group, Tooltip } from '@mantine/core';
import type { HTMLAttributes } from 'react';
import {
  IconAlertTriangle,
  IconArrowDown,
  IconArrowUp,
  IconChevronDown,
  IconChevronRight,
  IconCopy,
  IconGripVertical,
  IconTrash,
} from '../parts/icons.ts';
import { Chip, Words } from '../parts/show.tsx';
import { RuleFields } from './rule-fields.tsx';
import { RuleText } from './rule-text.tsx';
import type { Rule } from './rules.ts';

interface RuleCardProps {
  rule: Rule;
  /** Number in order of evaluation, from 1. */
  number: number;
  of: number;
  open: boolean;
  onToggle: () => void;
  problems: readonly { message: string; refused: boolean }[];
  handle: HTMLAttributes<HTMLElement>;
  onChange: (rule: Rule) => void;
  onMove: (by: -1 | 1) => void;
  onCopy: () => void;
  onRemove: () => void;
}

export function RuleCard(props: RuleCardProps) {
  const { rule, number, open, onToggle, problems, handle, onChange } = props;
  return (
    <div className="rule-card" data-action={rule.action}>
      <div className="rule-head">
        <ActionIcon
          variant="subtle"
          color="gray"
          {...handle}
          aria-label={`Move rule ${number}: press space, then arrows`}
        >
          <IconGripVertical size={16} />
        </ActionIcon>
        <button type="button" className="rule-title" aria-expanded={open} onClick={onToggle}>
          {open ? <IconChevronDown size={16} /> : <IconChevronRight size={16} />}
          <span className="number-badge">{number}</span>
          <Chip tone={rule.action === 'allow' ? 'allowed' : 'denied'}>{rule.action}</Chip>
          <span className="words">
            <RuleText rule={rule} />
          </span>
          {problems.length > 0 && (
            <IconAlertTriangle
              size={16}
              className={problems.some(({ refused }) => refused) ? 'not-held' : 'warned'}
              aria-label="Has warnings"
            />
          )}
        </button>
        <Tools {...props} />
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
      <Collapse expanded={open}>{open && <RuleFields rule={rule} onChange={onChange} />}</Collapse>
    </div>
  );
}

function Tools({ number, of, onMove, onCopy, onRemove }: RuleCardProps) {
  return (
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

/** Edits rules as JSON. Text that does not parse stays in the draft. */
import { Textarea } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { shapeFault } from './rule-shape.ts';
import type { Draft, Rule } from './rules.ts';

interface JsonViewProps {
  draft: Draft;
  onChange: (draft: Draft) => void;
}

export function JsonView({ draft, onChange }: JsonViewProps) {
  // Keeps whitespace as typed while the text equals the draft.
  const [typed, setTyped] = useState('');
  const text = draft.unreadable ?? (sameJson(typed, draft.rules) ? typed : JSON.stringify(draft.rules, null, 2));
  const write = (next: string) => {
    setTyped(next);
    const { unreadable: _, ...readable } = draft;
    const read = rulesIn(next);
    onChange('fault' in read ? { ...readable, unreadable: next } : { ...readable, rules: read.rules });
  };
  // Half a text is no fault.
  const [rested] = useDebouncedValue(draft.unreadable, 800);
  const read = rested === undefined || rested !== draft.unreadable ? undefined : rulesIn(rested);
  return (
    <Textarea
      aria-label="Rules as JSON"
      value={text}
      onChange={(event) => write(event.currentTarget.value)}
      error={read !== undefined && 'fault' in read && read.fault}
      autosize
      minRows={12}
      maxRows={40}
      spellCheck={false}
      classNames={{ input: 'mono' }}
    />
  );
}

function rulesIn(text: string): { rules: Rule[] } | { fault: string } {
  try {
    const rules: unknown = JSON.parse(text);
    const fault = shapeFault(rules);
    return fault === undefined ? { rules: rules as Rule[] } : { fault };
  } catch (failed) {
    return { fault: (failed as Error).message };
  }
}

function sameJson(text: string, value: unknown): boolean {
  try {
    return JSON.stringify(JSON.parse(text)) === JSON.stringify(value);
  } catch {
    return false;
  }
}

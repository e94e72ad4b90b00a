/** A policy's rules as a form or as JSON; both are the same draft. What the service warns of is shown where it is. */
import { Alert, SegmentedControl, Select, Textarea } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { ApiError, call } from '../api/client.ts';
import { Panel } from '../parts/page.tsx';
import { Words } from '../parts/show.tsx';
import { RuleList, type RuleProblem } from './rule-list.tsx';
import { type Draft, evaluationOrder, placeIn, type Rule } from './rules.ts';

interface EditorProps {
  draft: Draft;
  onChange: (draft: Draft) => void;
  readOnly: boolean;
}

export function Editor({ draft, onChange, readOnly }: EditorProps) {
  const [view, setView] = useState('form');
  const { inRules, elsewhere } = useProblems(draft);
  return (
    <Panel
      title="Rules"
      lead="Asked from the top; the first one whose conditions all hold decides."
      actions={
        <SegmentedControl
          size="xs"
          aria-label="View"
          data={[
            { value: 'form', label: 'Form' },
            { value: 'json', label: 'JSON' },
          ]}
          value={view}
          onChange={setView}
        />
      }
    >
      {elsewhere.map((message) => (
        <Alert key={message} color="yellow" mb="sm">
          <Words of={message} />
        </Alert>
      ))}
      {view === 'json' ? (
        <JsonView draft={draft} onChange={onChange} readOnly={readOnly} />
      ) : (
        <RuleList
          rules={draft.rules}
          problems={inRules}
          readOnly={readOnly}
          onChange={(rules) => onChange({ ...draft, rules })}
        />
      )}
      <Select
        mt="md"
        w={260}
        label="When no rule holds"
        data={[
          { value: 'deny', label: 'Deny' },
          { value: 'allow', label: 'Allow' },
        ]}
        value={draft.defaultAction}
        onChange={(action) => onChange({ ...draft, defaultAction: action as 'deny' })}
        allowDeselect={false}
        disabled={readOnly}
      />
    </Panel>
  );
}

/** What the service thinks of the draft, a moment after the last key. */
function useProblems({ rules, defaultAction }: Draft): { inRules: RuleProblem[]; elsewhere: string[] } {
  const [body] = useDebouncedValue({ rules, defaultAction }, 300);
  const lint = useQuery({
    queryKey: ['POST /v1/policies/lint', { body }],
    queryFn: () => call('POST /v1/policies/lint', { body }),
    retry: false,
    placeholderData: (last) => last,
  });
  const refused = lint.error instanceof ApiError ? lint.error : undefined;
  const found = [
    ...(refused === undefined ? (lint.data?.warnings ?? []) : []).map((one) => ({ ...one, refused: false })),
    ...(refused?.details.length === 0
      ? [{ param: refused.param, message: refused.message }]
      : (refused?.details ?? [])
    ).map((one) => ({
      ...one,
      refused: true,
    })),
  ];
  // The service counts places from 0; people see numbers in the order of asking.
  const order = evaluationOrder(rules);
  const inWords = (message: string) =>
    message.replaceAll(/`?rules\[(\d+)\]`?/g, (_, place) => `rule ${order.indexOf(Number(place)) + 1}`);
  const placed = found.map((one) => ({ ...one, message: inWords(one.message), place: placeIn(one.param) }));
  return {
    inRules: placed.filter((one): one is typeof one & { place: number } => one.place !== undefined),
    elsewhere: placed.filter(({ place }) => place === undefined).map(({ message }) => message),
  };
}

function JsonView({ draft, onChange, readOnly }: EditorProps) {
  const [text, setText] = useState(() => JSON.stringify(draft.rules, null, 2));
  const [error, setError] = useState<string>();
  useEffect(() => {
    // Changed elsewhere, such as by going back to what is stored.
    setText((now) => (sameJson(now, draft.rules) ? now : JSON.stringify(draft.rules, null, 2)));
  }, [draft.rules]);
  const write = (next: string) => {
    setText(next);
    try {
      const rules: unknown = JSON.parse(next);
      if (!Array.isArray(rules)) throw new Error('The rules are a list: [ … ].');
      setError(undefined);
      onChange({ ...draft, rules: rules as Rule[] });
    } catch (failed) {
      setError((failed as Error).message);
    }
  };
  return (
    <Textarea
      aria-label="Rules as JSON"
      value={text}
      onChange={(event) => write(event.currentTarget.value)}
      error={error}
      autosize
      minRows={12}
      maxRows={40}
      spellCheck={false}
      readOnly={readOnly}
      classNames={{ input: 'mono' }}
    />
  );
}

function sameJson(text: string, value: unknown): boolean {
  try {
    return JSON.stringify(JSON.parse(text)) === JSON.stringify(value);
  } catch {
    return false;
  }
}

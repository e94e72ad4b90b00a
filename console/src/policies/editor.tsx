/** Edits a policy's rules as a form or as JSON. Each warning is shown at its rule. */
import { Alert, SegmentedControl, Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call, PosternError } from '../api/client.ts';
import { Panel } from '../parts/page.tsx';
import { Words } from '../parts/show.tsx';
import { JsonView } from './json-view.tsx';
import { RuleList, type RuleProblem } from './rule-list.tsx';
import { type Draft, evaluationOrder, placeIn } from './rules.ts';

interface EditorProps {
  draft: Draft;
  onChange: (draft: Draft) => void;
  readOnly: boolean;
}

export function Editor({ draft, onChange, readOnly }: EditorProps) {
  const unreadable = draft.unreadable !== undefined;
  const [chosen, setView] = useState(unreadable ? 'json' : 'form');
  const view = unreadable ? 'json' : chosen;
  const { inRules, elsewhere } = useProblems(draft);
  return (
    <Panel
      title="Rules"
      lead="Evaluated from the top; the first rule whose conditions all match decides."
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
          disabled={unreadable}
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
        label="If no rule matches"
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

/** Validates the draft with the service when typing pauses. */
function useProblems({ rules, defaultAction }: Draft): { inRules: RuleProblem[]; elsewhere: string[] } {
  const [body] = useDebouncedValue({ rules, defaultAction }, 300);
  const lint = useQuery({
    queryKey: ['POST /v1/policies/lint', { body }],
    queryFn: () => call('POST /v1/policies/lint', { body }),
    placeholderData: (last) => last,
  });
  const refused = lint.error instanceof PosternError ? lint.error : undefined;
  const found = [
    ...(refused === undefined ? (lint.data?.warnings ?? []) : []).map((one) => ({ ...one, refused: false })),
    ...listProblems(refused).map((one) => ({ ...one, refused: true })),
  ];
  // The service counts rules from 0; people see numbers in order of evaluation.
  const order = evaluationOrder(rules);
  const inWords = (message: string) =>
    message.replaceAll(/`?rules\[(\d+)\]`?/g, (_, place) => `rule ${order.indexOf(Number(place)) + 1}`);
  const placed = found.map((one) => ({ ...one, message: inWords(one.message), place: placeIn(one.param) }));
  return {
    inRules: placed.filter((one): one is typeof one & { place: number } => one.place !== undefined),
    elsewhere: placed.filter(({ place }) => place === undefined).map(({ message }) => message),
  };
}

const listProblems = (refused: PosternError | undefined) =>
  refused === undefined ? [] : (refused.details ?? [{ param: refused.param, message: refused.message }]);

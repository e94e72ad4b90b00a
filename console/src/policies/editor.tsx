/** Edits a policy's rules as a form or as JSON. Each warning is shown at its rule. */
import { Alert, SegmentedControl, Select } from '@mantine/core';
import { useState } from 'react';
import { placeholderWords } from '../../../src/rules/placeholders.ts';
import { Panel } from '../parts/page.tsx';
import { Words } from '../parts/show.tsx';
import { JsonView } from './json-view.tsx';
import { useProblems } from './problems.ts';
import { RuleList } from './rule-list.tsx';
import { type Draft, inOrder } from './rules.ts';

interface EditorProps {
  draft: Draft;
  onChange: (draft: Draft) => void;
}

export function Editor({ draft, onChange }: EditorProps) {
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
      {[...placeholderWords(inOrder(draft.rules)), ...elsewhere].map((message) => (
        <Alert key={message} color="yellow" mb="sm">
          <Words of={message} />
        </Alert>
      ))}
      {view === 'json' ? (
        <JsonView draft={draft} onChange={onChange} />
      ) : (
        <RuleList rules={draft.rules} problems={inRules} onChange={(rules) => onChange({ ...draft, rules })} />
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
      />
    </Panel>
  );
}

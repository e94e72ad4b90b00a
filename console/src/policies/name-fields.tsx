/** The fields of a policy's name and description. */
import { Textarea, TextInput } from '@mantine/core';
import type { Draft } from './rules.ts';

interface NameFieldsProps {
  draft: Draft;
  onChange: (draft: Draft) => void;
  readOnly?: boolean;
}

export function NameFields({ draft, onChange, readOnly = false }: NameFieldsProps) {
  return (
    <div className="fields">
      <TextInput
        label="Name"
        value={draft.name}
        onChange={(event) => onChange({ ...draft, name: event.currentTarget.value })}
        maxLength={200}
        required
        readOnly={readOnly}
      />
      <Textarea
        label="Description"
        value={draft.description}
        onChange={(event) => onChange({ ...draft, description: event.currentTarget.value })}
        maxLength={2000}
        autosize
        readOnly={readOnly}
      />
    </div>
  );
}

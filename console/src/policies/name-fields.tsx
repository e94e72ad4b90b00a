/** The fields of a policy's name and description. */
import { Textarea, TextInput } from '@mantine/core';
import type { Draft } from './rules.ts';

interface NameFieldsProps {
  draft: Draft;
  onChange: (draft: Draft) => void;
}

export function NameFields({ draft, onChange }: NameFieldsProps) {
  return (
    <div className="fields">
      <TextInput
        label="Name"
        value={draft.name}
        onChange={(event) => onChange({ ...draft, name: event.currentTarget.value })}
        maxLength={200}
        required
      />
      <Textarea
        label="Description"
        value={draft.description}
        onChange={(event) => onChange({ ...draft, description: event.currentTarget.value })}
        maxLength={2000}
        autosize
      />
    </div>
  );
}

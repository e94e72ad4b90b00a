/** The form of an item, for registering and editing. */
import { JsonInput, Select, TagsInput, TextInput } from '@mantine/core';
import { useState } from 'react';
import { CONTENT_TYPES } from '../../../client/src/generated/vocabularies.ts';
import { FormFoot } from '../parts/form-foot.tsx';
import { toRefused } from '../parts/refused.ts';
import { useUnsaved } from '../parts/unsaved.ts';
import { useWork } from '../parts/work.ts';
import { usePolicyChoices } from '../policies/names.ts';
import { LABELS } from './rows.ts';

export interface ItemFields {
  externalId: string;
  title: string;
  type: string;
  source: string;
  policyId: string | null;
  tags: string[];
  metadata: string;
}

interface ItemFormProps {
  initial: ItemFields;
  /** The item exists, so its external id and type are fixed. */
  editing: boolean;
  action: string;
  onSubmit: (fields: ItemFields & { parsed: Record<string, unknown> }) => Promise<void>;
  onCancel: () => void;
}

export function ItemForm({ initial, editing, action, onSubmit, onCancel }: ItemFormProps) {
  const [fields, setFields] = useState(initial);
  const { busy, error, start } = useWork(() => onSubmit({ ...fields, parsed: parseMetadata(fields.metadata) }));
  useUnsaved(!busy && JSON.stringify(fields) !== JSON.stringify(initial));
  const { at: errorOf, elsewhere } = toRefused(error, LABELS, { tags: fields.tags });
  const part: PartProps = {
    fields,
    change: (some) => setFields({ ...fields, ...some }),
    errorOf,
  };

  return (
    <form onSubmit={start} className="fields" noValidate>
      <TextInput
        label="Title"
        value={fields.title}
        onChange={(event) => part.change({ title: event.currentTarget.value })}
        error={part.errorOf('title')}
        required
      />
      {!editing && <FixedFields {...part} />}
      <TermsFields {...part} />
      <FormFoot error={elsewhere} busy={busy} action={action} onCancel={onCancel} />
    </form>
  );
}

interface PartProps {
  fields: ItemFields;
  change: (some: Partial<ItemFields>) => void;
  errorOf: (name: keyof ItemFields) => string | undefined;
}

/** The fields that are set once, when the item is registered. */
function FixedFields({ fields, change, errorOf }: PartProps) {
  return (
    <>
      <TextInput
        label="External id"
        description="Your own name for the item; it cannot change."
        value={fields.externalId}
        onChange={(event) => change({ externalId: event.currentTarget.value })}
        error={errorOf('externalId')}
        required
      />
      <Select
        label="Type"
        data={[...CONTENT_TYPES]}
        value={fields.type}
        onChange={(type) => change({ type: type ?? 'article' })}
        error={errorOf('type')}
        allowDeselect={false}
        required
      />
    </>
  );
}

function TermsFields({ fields, change, errorOf }: PartProps) {
  const choices = usePolicyChoices();
  return (
    <>
      <TextInput
        label="Source"
        description="Where the original is: an http or https address."
        type="url"
        value={fields.source}
        onChange={(event) => change({ source: event.currentTarget.value })}
        error={errorOf('source')}
        required
      />
      <Select
        label="Policy"
        description="Leave empty for the policy of its collection, or the default policy."
        data={choices}
        value={fields.policyId}
        onChange={(policyId) => change({ policyId })}
        error={errorOf('policyId')}
        searchable
        clearable
      />
      <TagsInput label="Tags" value={fields.tags} onChange={(tags) => change({ tags })} error={errorOf('tags')} />
      <JsonInput
        label="Metadata"
        description="A JSON object; conditions can ask for its keys."
        value={fields.metadata}
        onChange={(metadata) => change({ metadata })}
        error={errorOf('metadata')}
        autosize
        minRows={3}
        formatOnBlur
      />
    </>
  );
}

/** Throws SyntaxError for text that is not JSON. The service checks that the value is an object. */
const parseMetadata = (text: string): Record<string, unknown> => JSON.parse(text.trim() === '' ? '{}' : text);

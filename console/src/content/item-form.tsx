/** The fields of an item, to register it and to edit it. */
import { Alert, JsonInput, Select, TagsInput, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { ApiError } from '../api/client.ts';
import { FormFoot } from '../parts/form-foot.tsx';
import { usePolicyChoices } from '../policies/names.ts';
import { TYPES } from './types.ts';

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
  /** What cannot change any more. */
  editing: boolean;
  action: string;
  onSubmit: (fields: ItemFields & { parsed: Record<string, unknown> }) => Promise<void>;
  onCancel: () => void;
}

export function ItemForm({ initial, editing, action, onSubmit, onCancel }: ItemFormProps) {
  const [fields, setFields] = useState(initial);
  const [error, setError] = useState<{ param: string | undefined; message: string }>();
  const [busy, setBusy] = useState(false);
  const choices = usePolicyChoices();
  const change = (some: Partial<ItemFields>) => setFields({ ...fields, ...some });
  const errorOf = (param: string) => (error?.param?.split(/[.[]/, 1)[0] === param ? error.message : undefined);
  const known = ['externalId', 'title', 'type', 'source', 'policyId', 'tags', 'metadata'];

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setError(undefined);
    let parsed: unknown;
    try {
      parsed = JSON.parse(fields.metadata.trim() === '' ? '{}' : fields.metadata);
    } catch {
      setError({ param: 'metadata', message: 'This is not JSON.' });
      return;
    }
    setBusy(true);
    try {
      await onSubmit({ ...fields, parsed: parsed as Record<string, unknown> });
    } catch (failed) {
      const { message } = failed as Error;
      setError({ param: failed instanceof ApiError ? failed.param : undefined, message });
    } finally {
      setBusy(false);
    }
  };

  return (
    <form onSubmit={submit} className="fields" noValidate>
      {error !== undefined && (error.param === undefined || !known.some((name) => errorOf(name) !== undefined)) && (
        <Alert color="red" role="alert">
          {error.message}
        </Alert>
      )}
      <TextInput
        label="Title"
        value={fields.title}
        onChange={(event) => change({ title: event.currentTarget.value })}
        error={errorOf('title')}
        required
      />
      {!editing && (
        <TextInput
          label="External id"
          description="Your own name for the item; it cannot change."
          value={fields.externalId}
          onChange={(event) => change({ externalId: event.currentTarget.value })}
          error={errorOf('externalId')}
          required
        />
      )}
      {!editing && (
        <Select
          label="Type"
          data={[...TYPES]}
          value={fields.type}
          onChange={(type) => change({ type: type ?? 'article' })}
          error={errorOf('type')}
          allowDeselect={false}
          required
        />
      )}
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
        description="Without one, the default policy of the moment."
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
      <FormFoot busy={busy} action={action} onCancel={onCancel} />
    </form>
  );
}

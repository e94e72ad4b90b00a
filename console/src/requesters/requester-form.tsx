/** The fields of a requester. */
import { JsonInput, TagsInput, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useWrite } from '../api/read.ts';
import { FormFoot } from '../parts/form-foot.tsx';
import { told } from '../parts/notices.tsx';
import type { Requester } from './types.ts';

interface RequesterFormProps {
  /** The one to edit; without it a new one. */
  requester?: Requester;
  /** A proposal for the id of a new one. */
  id?: string;
  onDone: (id: string) => void;
  onCancel: () => void;
}

export function RequesterForm({ requester, id: proposed = '', onDone, onCancel }: RequesterFormProps) {
  const write = useWrite();
  const [id, setId] = useState(requester?.id ?? proposed);
  const [name, setName] = useState(requester?.name ?? '');
  const [type, setType] = useState(requester?.type ?? '');
  const [tags, setTags] = useState(requester?.tags ?? []);
  const [metadata, setMetadata] = useState(requester === undefined ? '' : JSON.stringify(requester.metadata, null, 2));
  const [error, setError] = useState<string>();
  const [busy, setBusy] = useState(false);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      const parsed = JSON.parse(metadata.trim() === '' ? '{}' : metadata) as Record<string, unknown>;
      const common = {
        ...(name.trim() === '' ? {} : { name: name.trim() }),
        type: type.trim() === '' ? null : type.trim(),
        tags,
        metadata: parsed,
      };
      const done =
        requester === undefined
          ? await write('POST /v1/requesters', { body: { ...common, ...(id.trim() === '' ? {} : { id: id.trim() }) } })
          : await write('PATCH /v1/requesters/{id}', {
              path: { id: requester.id },
              body: { ...common, metadataReplace: true },
            });
      told(`${done.name} is saved.`);
      onDone(done.id);
    } catch (failed) {
      setError(failed instanceof SyntaxError ? 'The metadata is not JSON.' : (failed as Error).message);
      setBusy(false);
    }
  };

  return (
    <form onSubmit={submit} className="fields">
      {requester === undefined && (
        <TextInput
          label="Id"
          description="As your server sends it; it cannot change. Empty: one is made."
          placeholder="partner:acme"
          value={id}
          onChange={(event) => setId(event.currentTarget.value)}
          data-autofocus
        />
      )}
      <TextInput label="Name" value={name} onChange={(event) => setName(event.currentTarget.value)} maxLength={200} />
      <TextInput
        label="Type"
        placeholder="ai_crawler, partner, university…"
        value={type}
        onChange={(event) => setType(event.currentTarget.value)}
        maxLength={64}
      />
      <TagsInput label="Tags" value={tags} onChange={setTags} />
      <JsonInput label="Metadata" value={metadata} onChange={setMetadata} autosize minRows={2} formatOnBlur />
      <FormFoot error={error} busy={busy} action={requester === undefined ? 'Register' : 'Save'} onCancel={onCancel} />
    </form>
  );
}

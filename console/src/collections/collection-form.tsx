/** The form of a collection, for creating and editing. */
import { JsonInput, MultiSelect, Select, TagsInput, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { CONTENT_TYPES } from '../../../client/src/generated/vocabularies.ts';
import type { Body } from '../api/client.ts';
import { FormFoot } from '../parts/form-foot.tsx';
import { toRefused } from '../parts/refused.ts';
import { useUnsaved } from '../parts/unsaved.ts';
import { useWork } from '../parts/work.ts';
import { usePolicyChoices } from '../policies/names.ts';
import { Trial } from './trial.tsx';

type CollectionBody = Required<Body<'POST /v1/collections'>>;
type ContentTypes = CollectionBody['contentTypes'];

/** Lists of lines and JSON are edited as text. */
export interface CollectionFields {
  name: string;
  description: string;
  hosts: string;
  paths: string;
  contentTypes: string[];
  contentTags: string[];
  policyId: string | null;
  mode: CollectionBody['mode'];
  metadata: string;
}

export const NO_FIELDS: CollectionFields = {
  name: '',
  description: '',
  hosts: '',
  paths: '',
  contentTypes: [],
  contentTags: [],
  policyId: null,
  mode: 'enforce',
  metadata: '',
};

export const toFields = (collection: CollectionBody): CollectionFields => ({
  name: collection.name,
  description: collection.description ?? '',
  hosts: collection.hosts.join('\n'),
  paths: collection.paths.join('\n'),
  contentTypes: collection.contentTypes,
  contentTags: collection.contentTags,
  policyId: collection.policyId,
  mode: collection.mode,
  metadata: JSON.stringify(collection.metadata, null, 2),
});

/** Throws SyntaxError for metadata that is not JSON. */
function toBody({ description, metadata, ...fields }: CollectionFields): CollectionBody {
  return {
    ...toSelection(fields),
    description: description.trim() === '' ? null : description.trim(),
    metadata: JSON.parse(metadata.trim() === '' ? '{}' : metadata) as CollectionBody['metadata'],
  };
}

const toSelection = ({
  name,
  hosts,
  paths,
  contentTypes,
  contentTags,
  policyId,
  mode,
}: Omit<CollectionFields, 'description' | 'metadata'>) => ({
  name,
  hosts: toLines(hosts),
  paths: toLines(paths),
  contentTypes: contentTypes as ContentTypes,
  contentTags,
  policyId,
  mode,
});

const toLines = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** Returns the fields that decide about an address. */
function toDraft(id: string | undefined, fields: CollectionFields) {
  const { name, ...draft } = toSelection(fields);
  return { ...(id === undefined ? {} : { id }), ...(name.trim() === '' ? {} : { name }), ...draft };
}

interface CollectionFormProps {
  /** The stored collection; without one, the form is for a new one. */
  id?: string;
  initial: CollectionFields;
  action: string;
  onSubmit: (body: CollectionBody) => Promise<void>;
  onCancel: () => void;
}

export function CollectionForm({ id, initial, action, onSubmit, onCancel }: CollectionFormProps) {
  const [fields, setFields] = useState(initial);
  const { busy, error, start } = useWork(async () => onSubmit(toBody(fields)));
  useUnsaved(!busy && JSON.stringify(fields) !== JSON.stringify(initial));
  const lists = { hosts: toLines(fields.hosts), paths: toLines(fields.paths), contentTags: fields.contentTags };
  const refused = toRefused(error, LABELS, lists);
  const part: PartProps = {
    fields,
    change: (some) => setFields({ ...fields, ...some }),
    errorOf: refused.at,
  };
  return (
    <form onSubmit={start} className="fields" noValidate>
      <TextInput
        label="Name"
        value={fields.name}
        onChange={(event) => part.change({ name: event.currentTarget.value })}
        error={part.errorOf('name')}
        maxLength={200}
        required
        data-autofocus
      />
      <AddressFields {...part} />
      <KindFields {...part} />
      <Trial draft={toDraft(id, fields)} />
      <TermsFields {...part} />
      <FormFoot error={refused.elsewhere} busy={busy} action={action} onCancel={onCancel} />
    </form>
  );
}

interface PartProps {
  fields: CollectionFields;
  change: (some: Partial<CollectionFields>) => void;
  errorOf: (name: keyof CollectionFields) => string | undefined;
}

function AddressFields({ fields, change, errorOf }: PartProps) {
  return (
    <>
      <Textarea
        label="Hosts"
        description="One per line: www.example.com, or *.example.com for all names below it. Empty: any host."
        value={fields.hosts}
        onChange={(event) => change({ hosts: event.currentTarget.value })}
        error={errorOf('hosts')}
        autosize
        minRows={2}
        maxRows={10}
        spellCheck={false}
      />
      <Textarea
        label="Paths"
        description="One pattern per line, as in robots.txt: /news/ for all below it, * for any characters, $ for the end. Empty: any path."
        value={fields.paths}
        onChange={(event) => change({ paths: event.currentTarget.value })}
        error={errorOf('paths')}
        autosize
        minRows={2}
        maxRows={16}
        spellCheck={false}
      />
    </>
  );
}

/** Selectors that only registered items can match. */
function KindFields({ fields, change, errorOf }: PartProps) {
  return (
    <>
      <MultiSelect
        label="Types"
        description="Only registered items of these types. Empty: addresses and items of any type."
        data={[...CONTENT_TYPES]}
        value={fields.contentTypes}
        onChange={(contentTypes) => change({ contentTypes })}
        error={errorOf('contentTypes')}
        clearable
      />
      <TagsInput
        label="Tags"
        description="Only registered items with any of these tags."
        value={fields.contentTags}
        onChange={(contentTags) => change({ contentTags })}
        error={errorOf('contentTags')}
      />
    </>
  );
}

const MODES = [
  { value: 'enforce', label: 'Enforce: decisions apply' },
  { value: 'observe', label: 'Observe: decisions are recorded, not enforced' },
] as const;

function TermsFields({ fields, change, errorOf }: PartProps) {
  const choices = usePolicyChoices();
  return (
    <>
      <Select
        label="Policy"
        description="Leave empty for the default policy."
        data={choices}
        value={fields.policyId}
        onChange={(policyId) => change({ policyId })}
        error={errorOf('policyId')}
        searchable
        clearable
      />
      <Select
        label="Mode"
        data={MODES}
        value={fields.mode}
        onChange={(mode) => change({ mode: mode ?? 'enforce' })}
        error={errorOf('mode')}
        allowDeselect={false}
      />
      <Textarea
        label="Description"
        value={fields.description}
        onChange={(event) => change({ description: event.currentTarget.value })}
        error={errorOf('description')}
        maxLength={2000}
        autosize
      />
      <JsonInput
        label="Metadata"
        description="A JSON object for your own use."
        value={fields.metadata}
        onChange={(metadata) => change({ metadata })}
        error={errorOf('metadata')}
        autosize
        minRows={2}
        formatOnBlur
      />
    </>
  );
}

const LABELS: Readonly<Record<keyof CollectionFields, string>> = {
  name: 'Name',
  description: 'Description',
  hosts: 'Hosts',
  paths: 'Paths',
  contentTypes: 'Types',
  contentTags: 'Tags',
  policyId: 'Policy',
  mode: 'Mode',
  metadata: 'Metadata',
};

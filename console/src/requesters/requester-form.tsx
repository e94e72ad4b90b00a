/** The form of a partner or bot. */
import { JsonInput, TagsInput, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { tagOf, useOpened } from '../api/opened.ts';
import { useWrite } from '../api/read.ts';
import { FormFoot } from '../parts/form-foot.tsx';
import { notify } from '../parts/notices.tsx';
import { toRefused } from '../parts/refused.ts';
import { useWork } from '../parts/work.ts';
import type { Requester } from './types.ts';

interface RequesterFormProps {
  /** The requester to edit; absent to add one. */
  requester?: Requester;
  /** The suggested id of a new requester. */
  id?: string;
  onDone: (id: string) => void;
  onCancel: () => void;
}

export function RequesterForm({ requester: shown, id: proposed = '', onDone, onCancel }: RequesterFormProps) {
  const requester = useOpened(shown);
  const write = useWrite();
  const [id, setId] = useState(proposed);
  const [fields, setFields] = useState<Fields>(() => toFields(requester));

  const change = (some: Partial<Fields>) => setFields({ ...fields, ...some });

  const { busy, error, start } = useWork(async () => {
    const body = toBody(fields);
    const done =
      requester === undefined
        ? await write('POST /v1/requesters', { body: { ...body, ...(id.trim() === '' ? {} : { id: id.trim() }) } })
        : await write('PATCH /v1/requesters/{id}', {
            path: { id: requester.id },
            ifMatch: await tagOf('GET /v1/requesters/{id}', { path: { id: requester.id } }, requester),
            body: { ...body, metadataReplace: true },
          });
    notify(`${done.name} is saved.`);
    onDone(done.id);
  });

  const refused = toRefused(error, LABELS, { tags: fields.tags, userAgents: fields.userAgents });

  return (
    <form onSubmit={start} className="fields">
      <TextInput
        label="Name"
        value={fields.name}
        error={refused.at('name')}
        onChange={(event) => change({ name: event.currentTarget.value })}
        maxLength={200}
        data-autofocus
      />
      {requester === undefined && <IdField value={id} onChange={setId} error={refused.at('id')} />}
      <CommonFields value={fields} onChange={change} errorOf={refused.at} />
      <FormFoot
        error={refused.elsewhere}
        busy={busy}
        action={requester === undefined ? 'Add' : 'Save'}
        disabled={findFault(fields.userAgents) !== undefined}
        onCancel={onCancel}
      />
    </form>
  );
}

interface IdFieldProps {
  value: string;
  error: string | undefined;
  onChange: (id: string) => void;
}

function IdField({ onChange, ...field }: IdFieldProps) {
  return (
    <TextInput
      label="Id"
      description="As your server sends it; it cannot change. Leave empty to have one created."
      placeholder="partner:acme"
      {...field}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

/** The fields as typed. */
interface Fields {
  name: string;
  type: string;
  tags: string[];
  contactName: string;
  email: string;
  billingAddress: string;
  userAgents: string[];
  /** JSON text. */
  metadata: string;
}

const LABELS: Readonly<Record<keyof Fields | 'id', string>> = {
  id: 'Id',
  name: 'Name',
  type: 'Type',
  tags: 'Tags',
  contactName: 'Contact',
  email: 'Email',
  billingAddress: 'Billing address',
  userAgents: 'User agents',
  metadata: 'Metadata',
};

const BLANK: Fields = {
  name: '',
  type: '',
  tags: [],
  contactName: '',
  email: '',
  billingAddress: '',
  userAgents: [],
  metadata: '',
};

function toFields(requester?: Requester): Fields {
  if (requester === undefined) return BLANK;
  const { name, type, tags, contactName, email, billingAddress, userAgents, metadata } = requester;
  return {
    name,
    type: type ?? '',
    tags,
    contactName: contactName ?? '',
    email: email ?? '',
    billingAddress: billingAddress ?? '',
    userAgents,
    metadata: JSON.stringify(metadata, null, 2),
  };
}

/** Throws SyntaxError for metadata that is not JSON. */
const toBody = ({ name, tags, userAgents, metadata, ...texts }: Fields) => ({
  ...(name.trim() === '' ? {} : { name: name.trim() }),
  type: textOrNull(texts.type),
  tags,
  contactName: textOrNull(texts.contactName),
  email: textOrNull(texts.email),
  billingAddress: textOrNull(texts.billingAddress),
  userAgents,
  metadata: JSON.parse(metadata.trim() === '' ? '{}' : metadata) as Record<string, unknown>,
});

const textOrNull = (typed: string): string | null => (typed.trim() === '' ? null : typed.trim());

interface CommonFieldsProps {
  value: Fields;
  onChange: (change: Partial<Fields>) => void;
  errorOf: (name: string) => string | undefined;
}

function CommonFields({ value, onChange, errorOf }: CommonFieldsProps) {
  return (
    <>
      <TextInput
        label="Type"
        placeholder="ai_crawler, partner, university…"
        value={value.type}
        error={errorOf('type')}
        onChange={(event) => onChange({ type: event.currentTarget.value })}
        maxLength={64}
      />
      <TagsInput label="Tags" value={value.tags} onChange={(tags) => onChange({ tags })} error={errorOf('tags')} />
      <TextInput
        label="Contact"
        description="The person to write to"
        value={value.contactName}
        error={errorOf('contactName')}
        onChange={(event) => onChange({ contactName: event.currentTarget.value })}
        maxLength={200}
      />
      <TextInput
        label="Email"
        type="email"
        value={value.email}
        error={errorOf('email')}
        onChange={(event) => onChange({ email: event.currentTarget.value })}
        maxLength={254}
      />
      <Textarea
        label="Billing address"
        value={value.billingAddress}
        error={errorOf('billingAddress')}
        onChange={(event) => onChange({ billingAddress: event.currentTarget.value })}
        autosize
        minRows={2}
        maxLength={1000}
      />
      <UserAgents
        value={value.userAgents}
        error={errorOf('userAgents')}
        onChange={(userAgents) => onChange({ userAgents })}
      />
      <JsonInput
        label="Metadata"
        value={value.metadata}
        error={errorOf('metadata')}
        onChange={(metadata) => onChange({ metadata })}
        autosize
        minRows={2}
        formatOnBlur
      />
    </>
  );
}

interface UserAgentsProps {
  value: string[];
  error: string | undefined;
  onChange: (userAgents: string[]) => void;
}

function UserAgents({ value, error, onChange }: UserAgentsProps) {
  return (
    <TagsInput
      label="User agents"
      description="Texts that its user agent contains, such as GPTBot. A protected site knows a bot by them."
      placeholder={value.length === 0 ? 'Enter adds one' : ''}
      value={value}
      onChange={onChange}
      error={findFault(value) ?? error}
      // User agents can contain commas.
      splitChars={[]}
      maxTags={USER_AGENTS_MAX}
    />
  );
}

const USER_AGENTS_MAX = 50;

/** Returns the first problem that the service would refuse. */
function findFault(userAgents: readonly string[]): string | undefined {
  const wrong = userAgents.find((text) => text.length < 3 || text.length > 256);
  return wrong === undefined ? undefined : `“${wrong.slice(0, 40)}” must have 3 to 256 characters.`;
}

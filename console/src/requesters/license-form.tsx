/** The fields of a licence. */
import { MultiSelect, TagsInput, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useRead, useWrite } from '../api/read.ts';
import { TYPES } from '../content/types.ts';
import { FormFoot } from '../parts/form-foot.tsx';
import { told } from '../parts/notices.tsx';
import { usePolicyChoices } from '../policies/names.ts';
import type { License } from './types.ts';

interface LicenseFormProps {
  requesterId: string;
  /** The one to edit; without it a new one. */
  license?: License;
  onDone: () => void;
  onCancel: () => void;
}

const dayIn = (iso: string | null | undefined): string => iso?.slice(0, 10) ?? '';
const momentIn = (day: string): string | null => (day === '' ? null : `${day}T00:00:00Z`);

export function LicenseForm({ requesterId: given, license, onDone, onCancel }: LicenseFormProps) {
  const write = useWrite();
  const choices = usePolicyChoices();
  const known = useRead('GET /v1/requesters', { query: { limit: 100 } }, { enabled: given === '' });
  const [requesterId, setRequesterId] = useState(given);
  const [type, setType] = useState(license?.type ?? '');
  const [features, setFeatures] = useState(license?.features ?? []);
  const [startsAt, setStartsAt] = useState(dayIn(license?.startsAt));
  const [expiresAt, setExpiresAt] = useState(dayIn(license?.expiresAt));
  const [contentTypes, setContentTypes] = useState<string[]>(license?.scope?.contentTypes ?? []);
  const [tags, setTags] = useState(license?.scope?.tags ?? []);
  const [policyIds, setPolicyIds] = useState(license?.scope?.policyIds ?? []);
  const [error, setError] = useState<string>();
  const [busy, setBusy] = useState(false);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    const lists = Object.fromEntries(
      Object.entries({ contentIds: license?.scope?.contentIds ?? [], contentTypes, tags, policyIds }).filter(
        ([, list]) => list.length > 0,
      ),
    );
    const body = {
      type: type.trim(),
      features,
      scope: Object.keys(lists).length === 0 ? null : lists,
      startsAt: startsAt === dayIn(license?.startsAt) ? (license?.startsAt ?? null) : momentIn(startsAt),
      expiresAt: expiresAt === dayIn(license?.expiresAt) ? (license?.expiresAt ?? null) : momentIn(expiresAt),
    };
    try {
      if (license === undefined) await write('POST /v1/licenses', { body: { requesterId, ...body } });
      else await write('PATCH /v1/licenses/{id}', { path: { id: license.id }, body });
      told('The licence counts from the next check on.');
      onDone();
    } catch (failed) {
      setError((failed as Error).message);
      setBusy(false);
    }
  };

  return (
    <form onSubmit={submit} className="fields">
      {given === '' && (
        <TagsInput
          label="Requester"
          description="A registered one, by its id"
          data={(known.data?.data ?? []).map(({ id }) => id)}
          value={requesterId === '' ? [] : [requesterId]}
          onChange={(ids) => setRequesterId(ids.at(-1) ?? '')}
          acceptValueOnBlur
          required
        />
      )}
      <TextInput
        label="Type"
        placeholder="research, training, enterprise…"
        value={type}
        onChange={(event) => setType(event.currentTarget.value)}
        required
        maxLength={64}
        data-autofocus
      />
      <TagsInput label="Features" value={features} onChange={setFeatures} />
      <div className="pair">
        <TextInput
          label="From"
          type="date"
          description="Empty: at once"
          value={startsAt}
          onChange={(event) => setStartsAt(event.currentTarget.value)}
        />
        <TextInput
          label="Until"
          type="date"
          description="This day is not included; empty: no end"
          value={expiresAt}
          onChange={(event) => setExpiresAt(event.currentTarget.value)}
        />
      </div>
      <MultiSelect
        label="Only for types"
        placeholder={contentTypes.length === 0 ? 'all' : ''}
        data={[...TYPES]}
        value={contentTypes}
        onChange={setContentTypes}
      />
      <TagsInput label="Only for tags" placeholder={tags.length === 0 ? 'all' : ''} value={tags} onChange={setTags} />
      <MultiSelect
        label="Only under policies"
        placeholder={policyIds.length === 0 ? 'all' : ''}
        data={choices}
        value={policyIds}
        onChange={setPolicyIds}
        searchable
      />
      <FormFoot
        error={error}
        busy={busy}
        action={license === undefined ? 'Give the licence' : 'Save'}
        disabled={requesterId === ''}
        onCancel={onCancel}
      />
    </form>
  );
}

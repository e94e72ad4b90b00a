/** The field that chooses a partner or bot by name. */
import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { useRead } from '../api/read.ts';
import { useMay } from '../shell/session.tsx';
import './requesters.css';
import type { Requester } from './types.ts';

interface PartnerChoiceProps {
  label: string;
  /** Hides the label visually, for a row of filters. */
  bare?: boolean;
  value: string;
  onChange: (id: string) => void;
  /** Accepts ids that are not in the list. */
  anyId?: boolean;
  placeholder?: string;
  required?: boolean;
  /** The first field of a dialog. */
  focused?: boolean;
  w?: number;
}

/** The format of ids. */
const ID = /^[\w.:@/-]{1,128}$/;
const TYPING_MS = 200;

export function PartnerChoice({ label, bare = false, value, onChange, anyId = false, ...more }: PartnerChoiceProps) {
  const { focused = false, ...field } = more;
  const [typed, setTyped] = useState('');
  const options = useOptions(typed, value, anyId);
  return (
    <Select
      {...(bare ? { 'aria-label': label } : { label })}
      {...field}
      data-autofocus={focused || undefined}
      data={[...options.values()]}
      value={value === '' ? null : value}
      onChange={(id) => onChange(id ?? '')}
      onSearchChange={setTyped}
      filter={({ options: all }) => all}
      renderOption={({ option }) => (
        <div className="choice">
          {option.label}
          <span className="under">{options.get(option.value)?.about}</span>
        </div>
      )}
      nothingFoundMessage="No partner in your list has this name or id."
      searchable
      clearable
      selectFirstOptionOnChange
    />
  );
}

interface Option {
  value: string;
  label: string;
  /** The id, when the label is a name. */
  about: string;
}

/** Finds partners by the typed words or id. A choice is shown by its name, not its id. */
function useOptions(typed: string, chosen: string, anyId: boolean): ReadonlyMap<string, Option> {
  const may = useMay('requesters:read');
  const [q] = useDebouncedValue(typed.trim(), TYPING_MS);
  const words = /[\p{L}\p{N}]/u.test(q) ? { q } : {};
  const found = useRead('GET /v1/requesters', { query: { ...words, limit: 20 } }, { enabled: may, keep: true });
  const stored = useRequester(chosen);
  const isId = ID.test(q) && q !== chosen && q !== stored?.name;
  const named = useRequester(isId ? q : '');
  const options = new Map<string, Option>();
  for (const option of [
    ...toNamed(named),
    ...(found.data?.data ?? []).map(toOption),
    ...(isId && anyId ? [{ value: q, label: q, about: 'not in your list' }] : []),
    ...toChosen(chosen, stored),
  ]) {
    if (!options.has(option.value)) options.set(option.value, option);
  }
  return options;
}

type Named = Pick<Requester, 'id' | 'name'>;

/** Reads a requester; none for an empty id. */
function useRequester(id: string): Named | undefined {
  const may = useMay('requesters:read');
  return useRead('GET /v1/requesters/{id}', { path: { id } }, { enabled: may && id !== '' }).data;
}

const toNamed = (named: Named | undefined): Option[] => (named === undefined ? [] : [toOption(named)]);

const toChosen = (id: string, stored: Named | undefined): Option[] =>
  id === '' ? [] : [{ value: id, label: stored?.name ?? id, about: stored === undefined ? '' : id }];

const toOption = ({ id, name }: Named): Option => ({
  value: id,
  label: name,
  about: id === name ? '' : id,
});

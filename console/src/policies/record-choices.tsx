/** The field of a condition whose values are records: found by their names, stored by their ids. */
import { MultiSelect } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import type { Row } from '../api/client.ts';
import { useRead } from '../api/read.ts';
import { type Crawler, PURPOSES } from '../crawlers/types.ts';
import type { Requester } from '../requesters/types.ts';
import { type Permission, useMay } from '../shell/session.tsx';
import type { ConditionRow, RecordSource } from './condition-table.ts';
import { COUNTRIES, countryName } from './countries.ts';
import { useRecordNames } from './record-names.ts';

interface RecordChoicesProps {
  row: ConditionRow;
  source: RecordSource;
  value: string[];
  onChange: (value: string[]) => void;
}

interface Option {
  value: string;
  label: string;
  about?: string | undefined;
}

const TYPING_MS = 200;
const FOUND = 20;

export function RecordChoices({ row, source, value, onChange }: RecordChoicesProps) {
  const [typed, setTyped] = useState('');
  const [words] = useDebouncedValue(typed.trim(), TYPING_MS);
  const found = useFound(source, words);
  const chosen = useChosen(source, value);
  const options = new Map<string, Option>();
  for (const option of [...chosen, ...found]) if (!options.has(option.value)) options.set(option.value, option);
  // Rules may name those that are not registered.
  const isNew = words !== '' && TYPED.has(source) && !options.has(words);
  if (isNew) options.set(words, { value: words, label: words, about: 'as typed' });
  return (
    <MultiSelect
      aria-label={row.label}
      placeholder={value.length === 0 ? row.about : ''}
      data={[...options.values()]}
      value={value}
      onChange={onChange}
      onSearchChange={setTyped}
      filter={({ options: all, search }) => (source === 'country' ? byWords(all, search) : all)}
      renderOption={({ option }) => (
        <div className="choice">
          {option.label}
          <span className="under">{options.get(option.value)?.about}</span>
        </div>
      )}
      nothingFoundMessage={words === '' ? 'Type a part of the name' : 'Nothing has this name'}
      searchable
      hidePickedOptions
      maxDropdownHeight={260}
    />
  );
}

/** Sources whose conditions accept values that no record has. */
const TYPED: ReadonlySet<RecordSource> = new Set(['requester', 'content', 'crawler']);

const byWords = <T extends object>(all: T[], search: string): T[] =>
  all.filter((one) => 'label' in one && String(one.label).toLowerCase().includes(search.trim().toLowerCase()));

/** A search needs a letter or digit. */
const toQuery = (words: string) => ({ ...(/[\p{L}\p{N}]/u.test(words) ? { q: words } : {}), limit: FOUND });

interface Find {
  of: 'GET /v1/collections' | 'GET /v1/requesters' | 'GET /v1/content' | 'GET /v1/crawlers';
  permission: Permission;
  toOption: (record: never) => Option;
}

const FINDS: Record<Exclude<RecordSource, 'country'>, Find> = {
  collection: {
    of: 'GET /v1/collections',
    permission: 'content:read',
    toOption: ({ id, name, hosts }: Row<'GET /v1/collections'>) => ({
      value: id,
      label: name,
      about: hosts.slice(0, 3).join(', '),
    }),
  },
  requester: {
    of: 'GET /v1/requesters',
    permission: 'requesters:read',
    toOption: ({ id, name }: Requester) => ({ value: id, label: name, about: id === name ? '' : id }),
  },
  content: {
    of: 'GET /v1/content',
    permission: 'content:read',
    toOption: ({ id, title, externalId }: Row<'GET /v1/content'>) => ({ value: id, label: title, about: externalId }),
  },
  crawler: {
    of: 'GET /v1/crawlers',
    permission: 'policies:read',
    toOption: ({ name, operator, purpose }: Crawler) => ({
      value: name,
      label: name,
      about: [operator, PURPOSES[purpose]].filter((text) => text !== null).join(' · '),
    }),
  },
};

/** Finds records by words; the first ones without words. */
function useFound(source: RecordSource, words: string): Option[] {
  const { of, permission, toOption } = FINDS[source === 'country' ? 'crawler' : source];
  const may = useMay(permission) && source !== 'country';
  const found = useRead(of, { query: toQuery(words) }, { enabled: may, keep: true });
  if (source === 'country') return COUNTRIES;
  return (found.data?.data ?? []).map((record) => toOption(record as never));
}

/** Labels chosen values; ids without a record stay ids. */
function useChosen(source: RecordSource, ids: readonly string[]): Option[] {
  const isRead = source === 'collection' || source === 'requester' || source === 'content';
  const names = useRecordNames(isRead ? source : 'collection', isRead ? ids : []);
  return ids.map((id) => ({ value: id, label: source === 'country' ? countryName(id) : (names.get(id) ?? id) }));
}

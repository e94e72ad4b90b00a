/** Filter fields of a list, each bound to a parameter of the address. */
import { Select, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useState } from 'react';
import { useFilters } from './filters.ts';

const TYPING_MS = 250;

/** The search field `q`, applied while typing. */
export function FilterWords({ label }: { label: string }) {
  const { values, set } = useFilters();
  const [words, setWords] = useState(values.q ?? '');
  // A search needs a letter or digit.
  const search = useDebouncedCallback((q: string) => set({ q: /[\p{L}\p{N}]/u.test(q) ? q : null }), TYPING_MS);
  return (
    <TextInput
      className="grow"
      aria-label={label}
      placeholder={label}
      leftSection={<IconSearch size={16} />}
      value={words}
      onChange={(event) => {
        setWords(event.currentTarget.value);
        search(event.currentTarget.value);
      }}
    />
  );
}

interface FilterChoiceProps {
  name: string;
  label: string;
  data: (string | { value: string; label: string })[];
  w: number;
  searchable?: boolean;
}

export function FilterChoice({ name, label, data, w, searchable = false }: FilterChoiceProps) {
  const { values, set } = useFilters();
  const { [name]: chosen } = values;
  const isKnown = data.some((one) => (typeof one === 'string' ? one : one.value) === chosen);
  return (
    <Select
      aria-label={label}
      placeholder={label}
      data={chosen === undefined || isKnown ? data : [...data, chosen]}
      value={chosen ?? null}
      onChange={(value) => set({ [name]: value })}
      clearable
      searchable={searchable}
      w={w}
    />
  );
}

interface FilterEitherProps {
  name: string;
  label: string;
  yes: string;
  no: string;
  w: number;
}

/** Either of two; both by default. */
export function FilterEither({ yes, no, ...field }: FilterEitherProps) {
  return (
    <FilterChoice
      {...field}
      data={[
        { value: 'true', label: yes },
        { value: 'false', label: no },
      ]}
    />
  );
}

interface FilterTextProps {
  name: string;
  label: string;
  w: number;
  /** Values that another field shows already. */
  shownElsewhere?: readonly string[];
}

/** Applied on blur or Enter. */
export function FilterText({ name, label, w, shownElsewhere = [] }: FilterTextProps) {
  const { values, set } = useFilters();
  const given = values[name] ?? '';
  const value = shownElsewhere.includes(given) ? '' : given;
  return (
    <TextInput
      key={value}
      aria-label={label}
      placeholder={label}
      title={label}
      w={w}
      defaultValue={value}
      onBlur={(event) => event.currentTarget.value !== value && set({ [name]: event.currentTarget.value.trim() })}
      onKeyDown={(event) => event.key === 'Enter' && set({ [name]: event.currentTarget.value.trim() })}
    />
  );
}

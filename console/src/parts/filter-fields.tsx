/** Fields of a list's filters, each for one name in the address. */
import { Select, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useState } from 'react';
import { dateField } from './date-field.tsx';
import { useFilters } from './filters.ts';

const TYPING_MS = 250;

/** Words to search for, `q`, while one types. */
export function FilterWords({ label }: { label: string }) {
  const { values, set } = useFilters();
  const [words, setWords] = useState(values.q ?? '');
  // Without a letter or digit there is nothing to search for.
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
  return (
    <Select
      aria-label={label}
      placeholder={label}
      data={data}
      value={values[name] ?? null}
      onChange={(value) => set({ [name]: value })}
      clearable
      searchable={searchable}
      w={w}
    />
  );
}

interface FilterTextProps {
  name: string;
  label: string;
  w: number;
  type?: 'text' | 'date';
  /** Values that another field shows. */
  shownElsewhere?: readonly string[];
}

/** Taken when one leaves it or presses Enter. */
export function FilterText({ name, label, w, type = 'text', shownElsewhere = [] }: FilterTextProps) {
  const { values, set } = useFilters();
  const given = values[name] ?? '';
  const value = shownElsewhere.includes(given) ? '' : given;
  return (
    <TextInput
      key={value}
      aria-label={label}
      placeholder={label}
      title={label}
      type={type}
      w={w}
      {...(type === 'date' ? dateField(label) : {})}
      defaultValue={value}
      onBlur={(event) => event.currentTarget.value !== value && set({ [name]: event.currentTarget.value.trim() })}
      onKeyDown={(event) => event.key === 'Enter' && set({ [name]: event.currentTarget.value.trim() })}
    />
  );
}

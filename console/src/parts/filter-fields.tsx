/** Filter fields of a list, each bound to a parameter of the address. */
import { Button, Select, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { type ReactNode, useState } from 'react';
import { useFilters } from './filters.ts';
import { IconAdjustmentsHorizontal, IconSearch } from './icons.ts';

const TYPING_MS = 250;

/** The filters of a list. A phone shows the search field, and the others behind a button that says how many are set. */
export function FoldedFilters({ children }: { children: ReactNode }) {
  const { values } = useFilters();
  const [isOpen, setOpen] = useState(false);
  const count = Object.keys(values).filter((name) => !NO_FILTERS.has(name)).length;
  return (
    <div className={isOpen ? 'filters' : 'filters folded'} role="search">
      <Button
        className="fold"
        variant="default"
        leftSection={<IconAdjustmentsHorizontal size={16} />}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {count === 0 ? 'Filters' : `Filters (${count})`}
      </Button>
      {children}
    </div>
  );
}

/** Parameters of the address that select no records, and the words, which are in sight. */
const NO_FILTERS: ReadonlySet<string> = new Set(['q', 'cursor', 'sort', 'order', 'new']);

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

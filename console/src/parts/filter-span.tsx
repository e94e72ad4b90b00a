/**
 * The period filter: days or times in the viewer's time zone. The address holds instants, so a shared link shows the
 * same records everywhere.
 */
import { Button, Loader, Popover } from '@mantine/core';
import { Suspense, useState } from 'react';
import { lazily } from '../shell/lazily.tsx';
import { spanEnd, spanStart } from './days.ts';
import { useFilters } from './filters.ts';
import { IconCalendar } from './icons.ts';
import { describeSpan } from './show.tsx';
import type { Span } from './span-presets.tsx';

/** Reads the parameters `from` and `to` as instants. */
export function readSpan(values: Record<string, string | undefined>): { from?: string; to?: string } {
  const [from, to] = [spanStart(values.from), spanEnd(values.to)];
  return { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
}

/** The first page is shown without it. */
const SpanChoices = lazily(() => import('./span-choices.tsx'));

interface FilterSpanProps {
  /** The label of no choice. */
  otherwise?: string;
  /** The parameters of the address. */
  names?: { from: string; to: string };
  /** Filters that a choice removes. */
  clears?: readonly string[];
}

const NAMES = { from: 'from', to: 'to' };

export function FilterSpan({ otherwise = 'Any time', names = NAMES, clears = [] }: FilterSpanProps) {
  const { values, set } = useFilters();
  const span = readSpan({ from: values[names.from], to: values[names.to] });
  const choose = ({ from, to }: Span) => {
    const cleared = Object.fromEntries(clears.map((name) => [name, null]));
    set({ ...cleared, [names.from]: from ?? null, [names.to]: to ?? null });
  };
  return <SpanChoice span={span} otherwise={otherwise} onChoose={choose} />;
}

interface SpanChoiceProps {
  span: Span;
  otherwise: string;
  onChoose: (span: Span) => void;
}

/** The same without the address, for dialogs. */
export function SpanChoice({ span: { from, to }, otherwise, onChoose }: SpanChoiceProps) {
  const [open, setOpen] = useState(false);
  const words = from === undefined && to === undefined ? otherwise : describeSpan(from, to);
  const choose = (span: Span) => {
    onChoose(span);
    setOpen(false);
  };
  return (
    <Popover
      opened={open}
      onChange={setOpen}
      position="bottom-start"
      shadow="md"
      trapFocus
      returnFocus
      width={330}
      radius="md"
    >
      <Popover.Target>
        <Button
          variant="default"
          className="when-filter"
          leftSection={<IconCalendar size={16} />}
          onClick={() => setOpen(!open)}
          aria-label={`When: ${words}`}
        >
          {words}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Suspense fallback={<Loader size="sm" />}>
          <SpanChoices from={from} to={to} otherwise={otherwise} onChoose={choose} />
        </Suspense>
      </Popover.Dropdown>
    </Popover>
  );
}

/** Spans to choose at once: the latest days and calendar months. */
import { Button, Select } from '@mantine/core';
import { addDays, dayAt, endOfDay, type Month, monthOf, startOfDay } from './days.ts';

/** Instants; `to` is exclusive. */
export interface Span {
  from?: string | undefined;
  to?: string | undefined;
}

interface PresetsProps {
  /** The label of no choice. */
  otherwise: string;
  onChoose: (span: Span) => void;
}

export function Presets({ otherwise, onChoose }: PresetsProps) {
  return (
    <>
      <div className="span-presets">
        {presets(otherwise).map(([label, span]) => (
          <Button key={label} size="compact-sm" variant="default" onClick={() => onChoose(span)}>
            {label}
          </Button>
        ))}
      </div>
      <Select
        label="A calendar month"
        placeholder="Choose"
        data={monthChoices()}
        value={null}
        comboboxProps={{ withinPortal: false }}
        maxDropdownHeight={180}
        onChange={(first) => first !== null && onChoose(toSpan(monthOf(first)))}
      />
    </>
  );
}

const HOUR_MS = 3_600_000;

function presets(otherwise: string): [label: string, span: Span][] {
  const now = Date.now();
  const today = dayAt(now);
  const days = (first: number, last = 0): Span => ({
    from: startOfDay(addDays(today, first)),
    to: endOfDay(addDays(today, last)),
  });
  return [
    ['Last hour', { from: new Date(now - HOUR_MS).toISOString() }],
    ['Today', days(0)],
    ['Yesterday', days(-1, -1)],
    ['7 days', days(-6)],
    ['30 days', days(-29)],
    ['This month', toSpan(monthOf(today))],
    ['Last month', toSpan(monthOf(addDays(monthOf(today).first, -1)))],
    [otherwise, {}],
  ];
}

const toSpan = ({ first, last }: Month): Span => ({ from: startOfDay(first), to: endOfDay(last) });

const MONTHS_SHOWN = 36;

/** The latest calendar months, to choose one. */
function monthChoices(): { value: string; label: string }[] {
  const months: Month[] = [];
  for (let day = dayAt(Date.now()); months.length < MONTHS_SHOWN; day = addDays(monthOf(day).first, -1)) {
    months.push(monthOf(day));
  }
  return months.map(({ first, name }) => ({ value: first, label: name }));
}

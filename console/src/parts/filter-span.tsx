/**
 * The period filter: days or times in the viewer's time zone. The address holds instants, so a shared link shows the
 * same records everywhere.
 */
import { Button, Popover, TextInput } from '@mantine/core';
import { IconCalendar } from '@tabler/icons-react';
import { type FormEvent, useState } from 'react';
import {
  addDays,
  beginsDay,
  dayAt,
  endOfDay,
  lastDayBefore,
  spanEnd,
  spanStart,
  startOfDay,
  timeAt,
  toInstant,
  ZONE,
} from './days.ts';
import { useFilters } from './filters.ts';
import { spanWords } from './show.tsx';

const HOUR_MS = 3_600_000;

/** Reads the parameters `from` and `to` as instants. */
export function readSpan(values: Record<string, string | undefined>): { from?: string; to?: string } {
  const [from, to] = [spanStart(values.from), spanEnd(values.to)];
  return { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
}

interface FilterSpanProps {
  /** The label of no choice. */
  otherwise?: string;
}

export function FilterSpan({ otherwise = 'Any time' }: FilterSpanProps) {
  const { values, set } = useFilters();
  const [open, setOpen] = useState(false);
  const { from, to } = readSpan(values);
  const words = from === undefined && to === undefined ? otherwise : describeSpan(from, to);
  const choose = (span: Span) => {
    set({ from: span.from ?? null, to: span.to ?? null });
    setOpen(false);
  };
  return (
    <Popover opened={open} onChange={setOpen} position="bottom-start" shadow="md" trapFocus width={330} radius="md">
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
        <Choices from={from} to={to} otherwise={otherwise} onChoose={choose} />
      </Popover.Dropdown>
    </Popover>
  );
}

interface Span {
  from?: string | undefined;
  to?: string | undefined;
}

/** A typed address may hold anything; the service validates it. */
function describeSpan(from: string | undefined, to: string | undefined): string {
  const broken = [from, to].some((one) => one !== undefined && Number.isNaN(Date.parse(one)));
  return broken ? 'Some other time' : spanWords(from, to);
}

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
    [otherwise, {}],
  ];
}

const known = (at: string | undefined): string | undefined =>
  at === undefined || Number.isNaN(Date.parse(at)) ? undefined : at;

interface ChoicesProps extends Span {
  otherwise: string;
  onChoose: (span: Span) => void;
}

function Choices({ from, to, otherwise, onChoose }: ChoicesProps) {
  const [start, end] = [known(from), known(to)];
  const whole = end !== undefined && beginsDay(end);
  const [fields, setFields] = useState({
    fromDay: start === undefined ? '' : dayAt(start),
    fromTime: start === undefined || beginsDay(start) ? '' : timeAt(start),
    toDay: end === undefined ? '' : whole ? lastDayBefore(end) : dayAt(end),
    toTime: end === undefined || whole ? '' : timeAt(end),
  });
  const [error, setError] = useState<string>();
  const field = (name: keyof typeof fields, label: string, type: 'date' | 'time') => (
    <TextInput
      label={label}
      type={type}
      value={fields[name]}
      onChange={(event) => setFields({ ...fields, [name]: event.currentTarget.value })}
    />
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const { fromDay, fromTime, toDay, toTime } = fields;
    const first = fromTime === '' ? startOfDay(fromDay) : toInstant(fromDay, fromTime);
    const last = toTime === '' ? endOfDay(toDay) : toInstant(toDay, toTime);
    if ((fromTime !== '' && fromDay === '') || (toTime !== '' && toDay === '')) return setError('Choose the day too.');
    if (first !== undefined && last !== undefined && first >= last) return setError('The end is before the beginning.');
    onChoose({ from: first, to: last });
  };
  return (
    <form className="span-fields" onSubmit={submit}>
      <div className="span-presets">
        {presets(otherwise).map(([label, span]) => (
          <Button key={label} size="compact-sm" variant="default" onClick={() => onChoose(span)}>
            {label}
          </Button>
        ))}
      </div>
      <div className="span-row">
        {field('fromDay', 'From', 'date')}
        {field('fromTime', 'At', 'time')}
      </div>
      <div className="span-row">
        {field('toDay', 'To, included', 'date')}
        {field('toTime', 'Until', 'time')}
      </div>
      {error !== undefined && (
        <p className="span-error" role="alert">
          {error}
        </p>
      )}
      <div className="span-foot">
        <span className="soft small">Times of {ZONE}; without a time, whole days.</span>
        <Button type="submit" size="xs">
          Show
        </Button>
      </div>
    </form>
  );
}

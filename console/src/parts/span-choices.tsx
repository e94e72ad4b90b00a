/** The form of a span: presets, or days and times. */
import { Button, TextInput } from '@mantine/core';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { beginsDay, dayAt, endOfDay, lastDayBefore, startOfDay, timeAt, toInstant, ZONE } from './days.ts';
import { Presets, type Span } from './span-presets.tsx';

const known = (at: string | undefined): string | undefined =>
  at === undefined || Number.isNaN(Date.parse(at)) ? undefined : at;

interface ChoicesProps extends Span {
  otherwise: string;
  onChoose: (span: Span) => void;
}

export default function SpanChoices({ from, to, otherwise, onChoose }: ChoicesProps) {
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
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    // The form loads after the popup took the focus; only then is there a choice to focus.
    if (document.activeElement?.contains(form.current)) form.current?.querySelector('button')?.focus();
  }, []);
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
    <form ref={form} className="span-fields" onSubmit={submit}>
      <Presets otherwise={otherwise} onChoose={onChoose} />
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

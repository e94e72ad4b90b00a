/** The first and last day of a license. */
import { Button, TextInput } from '@mantine/core';
import { beginsDay, dayAt } from '../parts/days.ts';
import { formatTime } from '../parts/show.tsx';
import { lastDayIn, lastDayOfYear } from './term.ts';

interface TermFieldsProps {
  first: string;
  last: string;
  onFirst: (day: string) => void;
  onLast: (day: string) => void;
  /** The stored end, which may lie within a day. */
  expiresAt: string | null;
}

export const isBackwards = (first: string, last: string): boolean => first !== '' && last !== '' && last < first;

export function TermFields({ first, last, onFirst, onLast, expiresAt }: TermFieldsProps) {
  const from = first === '' ? dayAt(Date.now()) : first;
  const year = from.slice(0, 4);
  const choices = [
    { label: `End of ${year}`, day: `${year}-12-31` },
    { label: 'One year', day: lastDayOfYear(from) },
    { label: 'No end', day: '' },
  ];
  const within = expiresAt !== null && last === lastDayIn(expiresAt) && !beginsDay(expiresAt);
  return (
    <div>
      <div className="pair">
        <TextInput
          label="First day"
          type="date"
          description="Leave empty to start at once"
          value={first}
          onChange={(event) => onFirst(event.currentTarget.value)}
        />
        <TextInput
          label="Last day (included)"
          type="date"
          description={within ? `Ends within this day: ${formatTime(expiresAt)}` : 'Leave empty for no end'}
          value={last}
          onChange={(event) => onLast(event.currentTarget.value)}
          error={isBackwards(first, last) && 'The last day is before the first day.'}
        />
      </div>
      <div className="quick">
        {choices.map(({ label, day }) => (
          <Button
            key={label}
            size="compact-xs"
            variant={day === last ? 'light' : 'default'}
            aria-pressed={day === last}
            onClick={() => onLast(day)}
          >
            {label}
          </Button>
        ))}
      </div>
    </div>
  );
}

/** The cost of so many units by the terms as typed: in the first period of the license, and in a whole one. */
import { TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { partialWords } from '../../../src/rules/terms/price.ts';
import { call } from '../api/client.ts';
import { formatDayIn } from '../parts/show.tsx';
import { Failed } from '../parts/states.tsx';
import { type Example, exampleOf, type FirstBill as FirstBillAnswer, toExample } from './example.ts';
import { parseCount } from './money.ts';
import { type Terms, type TermsFields, toTerms } from './terms-fields.ts';

const UNITS = 12_000;

interface WorkedExampleProps {
  fields: TermsFields;
  /** The fields have no faults. */
  sound: boolean;
  dates: LicenseDates | undefined;
}

/** When a license without a bill yet starts and ends. */
export interface LicenseDates {
  startsAt: string | null;
  expiresAt: string | null;
}

export function WorkedExample({ fields, sound, dates }: WorkedExampleProps) {
  const [typed, setTyped] = useState<string>();
  const units = typed === undefined ? proposed(fields) : parseCount(typed || '0');
  return (
    <section className="example" aria-label="Example" aria-live="polite">
      <TextInput
        label={fields.unit === 'decision' ? 'With so many requests' : 'With so many items'}
        inputMode="numeric"
        value={typed ?? String(units)}
        error={units === undefined && 'A whole number, such as 2500.'}
        onChange={(event) => setTyped(event.currentTarget.value)}
        mb="sm"
      />
      {sound && units !== undefined && (
        <>
          {dates !== undefined && <FirstBill terms={toTerms(fields)} dates={dates} units={units} />}
          <h3>A whole {fields.period}</h3>
          <Lines of={exampleOf(toTerms(fields), units)} />
        </>
      )}
      {!sound && <p className="soft">Complete the fields first.</p>}
    </section>
  );
}

const TYPING_MS = 300;

interface FirstBillProps {
  terms: Terms;
  dates: LicenseDates;
  units: number;
}

function FirstBill({ terms, dates: { startsAt, expiresAt }, units }: FirstBillProps) {
  const [body] = useDebouncedValue({ terms, units, startsAt, expiresAt }, TYPING_MS);
  const { data, error } = useQuery({
    queryKey: ['POST /v1/statements/preview', body],
    queryFn: async ({ signal }) => ({
      bill: await call('POST /v1/statements/preview', { body, signal }),
      terms: body.terms,
    }),
    placeholderData: keepPreviousData,
  });
  return (
    <div className="first-bill">
      <h3>The first bill</h3>
      {error !== null && <Failed error={error} />}
      {data !== undefined && error === null && (
        <>
          <p>{firstBillWords(data.bill, data.terms)}</p>
          <Lines of={toExample(data.bill, data.terms.currency)} />
        </>
      )}
    </div>
  );
}

/** Says for which days, and what counts in them. */
function firstBillWords({ from, to, partialPeriod }: FirstBillAnswer, { timezone, period, ...terms }: Terms): string {
  const days = [from, Date.parse(to) - 1].map((at) => formatDayIn(at, timezone));
  const span = days[0] === days[1] ? days[0] : days.join(' – ');
  if (partialPeriod === null) return `${span}: a whole ${period}.`;
  const isSame = terms.minimumMicros === undefined && terms.flatMicros === undefined && terms.quota === undefined;
  return `${span}: ${partialWords(partialPeriod)}${isSame ? ` of the ${period}` : ''}.`;
}

/** Proposes units that reach the last tier. */
function proposed({ tiers, quotaUnits }: TermsFields): number {
  const reached = parseCount(tiers.at(-2)?.upTo ?? '') ?? 0;
  const included = parseCount(quotaUnits) ?? 0;
  return Math.max(included, Math.round(reached * 1.2)) || UNITS;
}

function Lines({ of: { lines, total } }: { of: Example }) {
  return (
    <table className="lines">
      <tbody>
        {lines.map(({ label, amount }) => (
          <tr key={label}>
            <td>{label}</td>
            <td>{amount}</td>
          </tr>
        ))}
      </tbody>
      <tfoot>
        <tr>
          <th scope="row">Total</th>
          <td>{total}</td>
        </tr>
      </tfoot>
    </table>
  );
}

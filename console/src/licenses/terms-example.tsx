/** The cost of so many units by the terms as typed. */
import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { exampleOf } from './example.ts';
import { type TermsFields, toTerms } from './terms-fields.ts';

const UNITS = 12_000;

interface WorkedExampleProps {
  fields: TermsFields;
  /** The fields have no faults. */
  sound: boolean;
}

export function WorkedExample({ fields, sound }: WorkedExampleProps) {
  const [typed, setTyped] = useState<string>();
  const units = Number((typed ?? String(proposed(fields))).replaceAll(/\D/g, '').slice(0, 12));
  return (
    <section className="example" aria-label="Example" aria-live="polite">
      <h3>What a {fields.period} would cost</h3>
      <TextInput
        label={fields.unit === 'decision' ? 'With so many requests' : 'With so many items'}
        inputMode="numeric"
        value={typed ?? String(units)}
        onChange={(event) => setTyped(event.currentTarget.value)}
        mb="sm"
      />
      {sound ? <Lines of={exampleOf(toTerms(fields), units)} /> : <p className="soft">Complete the fields first.</p>}
    </section>
  );
}

/** Proposes units that reach the last tier. */
function proposed({ tiers, quotaUnits }: TermsFields): number {
  const reached = Number(tiers.at(-2)?.upTo.replaceAll(/\D/g, '') ?? 0);
  const included = Number(quotaUnits.replaceAll(/\D/g, ''));
  return Math.max(included, Math.round(reached * 1.2)) || UNITS;
}

function Lines({ of: { lines, total } }: { of: ReturnType<typeof exampleOf> }) {
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

/** The running period of a license in words: used, owed, and both by its end. */
import { partialWords } from '../../../src/rules/terms/price.ts';
import type { Answer } from '../api/client.ts';
import { formatMoney } from '../licenses/money.ts';
import { pluralize } from '../parts/plural.ts';
import { formatCount, formatDayIn } from '../parts/show.tsx';
import { periodWords } from '../statements/period.ts';
import { useOwn } from './api.ts';

type Usage = Answer<'GET /v1/me/licenses/{id}/usage'>;

/** Nothing while it loads, and before the terms begin. */
interface RunningProps {
  licenseId: string;
  /** The time zone of the terms. */
  zone: string;
}

export function Running({ licenseId, zone }: RunningProps) {
  const { data } = useOwn('GET /v1/me/licenses/{id}/usage', { path: { id: licenseId } });
  if (data === undefined) return null;
  const { period, to, currency, amount, projectedUnits, projectedAmount, partialPeriod } = data;
  return (
    <p>
      <strong>{unitWords(data)}</strong> in {periodWords(period)}, {formatMoney(amount.amount, currency)} so far.{' '}
      <span className="soft">
        About {formatCount(projectedUnits)} and {formatMoney(projectedAmount.amount, currency)} by{' '}
        {formatDayIn(Date.parse(to) - 1, zone)}.
      </span>
      {partialPeriod !== null && <span className="soft"> Not a whole period: {partialWords(partialPeriod)}.</span>}
    </p>
  );
}

const unitWords = ({ unit, units }: Usage): string => pluralize(units, unit === 'decision' ? 'request' : 'item');

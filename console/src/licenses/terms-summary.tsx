/** Terms in words, and their versions. */
import { useRead } from '../api/read.ts';
import { List } from '../parts/list.tsx';
import { Facts, Panel } from '../parts/page.tsx';
import { Chip, formatCount, formatDay, Tags } from '../parts/show.tsx';
import { Loaded } from '../parts/states.tsx';
import { formatMicros } from './money.ts';
import type { Terms } from './terms-fields.ts';

export function TermsSummary({ terms }: { terms: Terms }) {
  const { currency, period, unit, minimumMicros, flatMicros, quota, alerts = [], purposes } = terms;
  const money = (micros: number): string => formatMicros(micros, currency);
  return (
    <Facts
      of={{
        Contract: terms.reference ?? null,
        Statements: `for each ${period}, in ${currency}, by ${terms.timezone}`,
        Counts: unit === 'decision' ? 'every request' : 'each item once a period',
        Purposes: purposes === undefined ? 'all' : <Tags of={purposes} />,
        Prices: <Prices terms={terms} />,
        Least: minimumMicros === undefined ? null : `${money(minimumMicros)} a ${period}`,
        Fee: flatMicros === undefined ? null : `${money(flatMicros)} a ${period}`,
        Quota: quota === undefined ? 'none' : quotaWords(quota, period),
        'Partial periods': partialPeriods(terms),
        'Notify at': alerts.length === 0 ? null : alerts.map((at) => `${Math.round(at * 100)} %`).join(', '),
      }}
    />
  );
}

/** Says what counts in a first or last period that is not whole; null where it makes no difference. */
function partialPeriods({ minimumMicros, flatMicros, quota, prorate = false }: Terms): string | null {
  if (minimumMicros === undefined && flatMicros === undefined && quota === undefined) return null;
  return prorate ? 'by the days of the license' : 'minimum, fee and quota in full';
}

function quotaWords({ units, period, onExceed }: NonNullable<Terms['quota']>, billing: Terms['period']): string {
  const span = period === 'term' ? 'in all' : `a ${period ?? billing}`;
  return `${formatCount(units)} ${span}, then ${onExceed === 'allow' ? 'allowed and billed' : 'denied'}`;
}

function Prices({ terms: { tiers, currency } }: { terms: Terms }) {
  return tiers.map(({ upTo, unitPriceMicros }, i) => {
    const price = `${formatMicros(unitPriceMicros, currency)} each`;
    const which = upTo === null ? (i === 0 ? '' : ', further ones') : `, up to ${formatCount(upTo)}`;
    return <div key={upTo ?? 'last'}>{price + which}</div>;
  });
}

export function TermsVersions({ id }: { id: string }) {
  const versions = useRead('GET /v1/licenses/{id}/terms', { path: { id } });
  return (
    <Panel title="Versions of the terms" lead="Each statement is made by the terms of its own period.">
      <Loaded of={versions}>
        {({ data }) => (
          <List
            caption="Versions of the terms"
            records={data}
            idOf={({ version }) => String(version)}
            columns={[
              { label: 'Version', narrow: true, show: ({ version }) => version },
              {
                label: 'From – to',
                show: ({ effectiveFrom, effectiveTo }) =>
                  `${formatDay(effectiveFrom)} – ${effectiveTo === null ? 'no end' : formatDay(effectiveTo)}`,
              },
              { label: 'State', narrow: true, show: ({ state }) => <Chip>{state}</Chip> },
              {
                label: 'Prices',
                show: ({ terms }) => (terms === null ? 'ended' : <Prices terms={terms} />),
              },
            ]}
          />
        )}
      </Loaded>
    </Panel>
  );
}

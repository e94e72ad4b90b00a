/** The running period of a license: used, projected, owed, by day and by purpose. */
import { Alert } from '@mantine/core';
import { partialWords } from '../../../src/rules/terms/price.ts';
import { type Answer, PosternError } from '../api/client.ts';
import { useRead } from '../api/read.ts';
import { bucketLabel } from '../overview/range.ts';
import { Bars, type Series } from '../parts/bars.tsx';
import { List } from '../parts/list.tsx';
import { Panel } from '../parts/page.tsx';
import { pluralize } from '../parts/plural.ts';
import { formatCount, formatDay, formatDayIn, formatPercent } from '../parts/show.tsx';
import { Loaded } from '../parts/states.tsx';
import { periodWords } from '../statements/period.ts';
import { formatMoney } from './money.ts';

type Usage = Answer<'GET /v1/licenses/{id}/usage'>;

const DAY_MS = 86_400_000;
const COUNTED: readonly Series[] = [{ name: 'counted', tone: 'allowed' }];

interface RunningPeriodProps {
  id: string;
  /** The time zone of the terms, in which its periods begin and end. */
  zone: string | undefined;
}

export function RunningPeriod({ id, zone }: RunningPeriodProps) {
  const usage = useRead('GET /v1/licenses/{id}/usage', { path: { id } });
  if (usage.error instanceof PosternError && usage.error.status === 404) {
    return <Alert color="gray">No terms are in force now.</Alert>;
  }
  return (
    <Loaded of={usage} rows={6}>
      {(data) => (
        <>
          <Figures usage={data} zone={zone} />
          {data.partialPeriod !== null && (
            <p className="soft">Not a whole period: {partialWords(data.partialPeriod)}.</p>
          )}
          <Panel title={`Used in ${periodWords(data.period)}`} lead="Allowed requests that the terms count, by day.">
            {data.quota !== null && <QuotaBar quota={data.quota} alerts={data.alerts} zone={zone} />}
            <Bars
              series={COUNTED}
              bars={data.byDay.map(({ date, decisions }) => ({
                label: bucketLabel(date, 'day'),
                title: formatDay(`${date}T12:00:00`),
                counts: [decisions],
              }))}
              summary={`${formatCount(data.decisions)} requests in ${pluralize(data.byDay.length, 'day')}`}
            />
            {data.byPurpose.length > 0 && <ByPurpose usage={data} />}
          </Panel>
        </>
      )}
    </Loaded>
  );
}

function Figures({ usage, zone }: { usage: Usage; zone: string | undefined }) {
  const { units, projectedUnits, amount, projectedAmount, to, currency, unit } = usage;
  const days = Math.max(0, Math.ceil((Date.parse(to) - Date.now()) / DAY_MS));
  const figures = [
    {
      name: unit === 'decision' ? 'Requests used' : 'Items used',
      value: formatCount(units),
      under: `of about ${formatCount(projectedUnits)} by the end`,
    },
    {
      name: 'Amount so far',
      value: formatMoney(amount.amount, currency),
      under: `about ${formatMoney(projectedAmount.amount, currency)} by the end`,
    },
    { name: 'Left', value: pluralize(days, 'day'), under: `until ${formatDayIn(Date.parse(to) - 1, zone)}` },
  ];
  return (
    <div className="totals">
      {figures.map(({ name, value, under }) => (
        <div className="total" key={name}>
          <div className="name">{name}</div>
          <div className="value">{value}</div>
          <div className="than">{under}</div>
        </div>
      ))}
    </div>
  );
}

interface QuotaBarProps {
  quota: NonNullable<Usage['quota']>;
  alerts: Usage['alerts'];
  zone: string | undefined;
}

/** Draws how much of a quota is used, with its alerts. */
export function QuotaBar({ quota: { units, used, remaining, resetAt }, alerts, zone }: QuotaBarProps) {
  const share = (part: number) => `${Math.min(100, (100 * part) / units)}%`;
  const reached = alerts.some((alert) => alert.reached);
  const tone = remaining === 0 ? 'denied' : reached ? 'limited' : '';
  return (
    <div>
      <div className="quota" aria-hidden="true">
        <span className={`used ${tone}`} style={{ width: share(used) }} />
        {alerts
          .filter(({ at }) => at < 1)
          .map(({ at }) => (
            <span key={at} className="alert" style={{ left: share(at * units) }} />
          ))}
      </div>
      <div className="quota-words">
        <span>
          {formatCount(used)} of {formatCount(units)} used ({formatPercent(used, units)})
        </span>
        <span className="soft">
          {formatCount(remaining)} left{resetAt === null ? '' : `, again from ${formatDayIn(resetAt, zone)}`}
        </span>
      </div>
    </div>
  );
}

function ByPurpose({ usage: { byPurpose, units } }: { usage: Usage }) {
  return (
    <List
      caption="By purpose"
      tight
      records={byPurpose}
      idOf={({ purpose }) => purpose ?? ''}
      columns={[
        { label: 'Purpose', show: ({ purpose }) => purpose ?? <span className="soft">none stated</span> },
        { label: 'Units', right: true, show: (one) => formatCount(one.units) },
        { label: 'Share', right: true, show: (one) => formatPercent(one.units, units) },
      ]}
    />
  );
}

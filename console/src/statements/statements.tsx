/** The statements of a month, quarter or year, in one table. */
import { Button, SegmentedControl } from '@mantine/core';
import { Link } from 'wouter';
import { useRead } from '../api/read.ts';
import { formatMoney } from '../licenses/money.ts';
import { ZONE } from '../parts/days.ts';
import { useFilters } from '../parts/filters.ts';
import { IconChevronLeft, IconChevronRight, IconDownload, IconPrinter, IconReceipt } from '../parts/icons.ts';
import { PageHead, Panel } from '../parts/page.tsx';
import { PagedList } from '../parts/paged-list.tsx';
import { pluralize } from '../parts/plural.ts';
import { useSaving } from '../parts/save.ts';
import { Empty, Loaded } from '../parts/states.tsx';
import { useMayInSecret } from '../shell/session.tsx';
import { KINDS, type Kind, kindOf, periodAt, periodOf, periodWords, shifted } from './period.ts';
import './statements.css';
import { LICENSE, PARTNER, STATEMENT_COLUMNS } from './table.tsx';
import type { Statement } from './types.ts';

/** The most statements of a page of the API: totals are shown if all are on it. */
const ALL = 100;
const COLUMNS = [PARTNER, LICENSE, ...STATEMENT_COLUMNS];

export default function StatementsPage() {
  const { values } = useFilters();
  const period = values.period ?? periodAt('month');
  const maySeeBills = useMayInSecret('requesters:read');
  if (!maySeeBills) {
    return <Empty title="Your access does not include this page">Prices are for licensing managers and admins.</Empty>;
  }
  return (
    <>
      <PageHead
        title="Statements"
        lead="What each license used in a billing period, and what that costs."
        actions={
          <>
            <Button variant="default" leftSection={<IconPrinter size={16} />} onClick={() => window.print()}>
              Print
            </Button>
            <Download period={period} />
          </>
        }
      />
      <PeriodBar period={period} />
      <div className="stack">
        <Sums period={period} />
        <div className="panel">
          <PagedList
            caption={`Statements of ${periodWords(period)}`}
            of="GET /v1/statements"
            query={{ period, timezone: ZONE, limit: ALL }}
            noun={['statement', 'statements']}
            empty={<NoStatements period={period} />}
            columns={COLUMNS}
          />
        </div>
      </div>
    </>
  );
}

/** Leads to the license that still needs terms, or to a new one. */
function NoStatements({ period }: { period: string }) {
  const licenses = useRead('GET /v1/licenses', { query: { status: 'active', limit: ALL } });
  const without = licenses.data?.data.find(({ terms }) => terms === null);
  return (
    <Empty
      icon={<IconReceipt size={36} stroke={1.3} />}
      title={`No statements in ${periodWords(period)}`}
      action={
        <Button component={Link} href={without === undefined ? '/licenses?new=1' : `/licenses/${without.id}`}>
          {without === undefined ? 'Create a license with terms' : 'Add terms to a license'}
        </Button>
      }
    >
      A license has statements from the day on which it has terms.
    </Empty>
  );
}

/** All statements of the period, also beyond the first page. */
function Download({ period }: { period: string }) {
  const { saving, save } = useSaving();
  const start = () => save(`statements-${period}.csv`, 'GET /v1/statements', { query: { period } }, 'text/csv');
  return (
    <Button variant="default" leftSection={<IconDownload size={16} />} loading={saving} onClick={start}>
      CSV
    </Button>
  );
}

function PeriodBar({ period }: { period: string }) {
  const { set } = useFilters();
  const go = (to: string) => set({ period: to });
  return (
    <div className="filters" role="search">
      <SegmentedControl
        aria-label="Kind of period"
        data={KINDS}
        value={kindOf(period)}
        onChange={(kind) => go(periodOf(kind as Kind, period))}
      />
      <div className="stepper">
        <Button variant="default" px={8} aria-label="The period before" onClick={() => go(shifted(period, -1))}>
          <IconChevronLeft size={16} />
        </Button>
        <strong aria-live="polite">{periodWords(period)}</strong>
        <Button
          variant="default"
          px={8}
          aria-label="The period after"
          disabled={period >= periodAt(kindOf(period))}
          onClick={() => go(shifted(period, 1))}
        >
          <IconChevronRight size={16} />
        </Button>
      </div>
    </div>
  );
}

/** The amounts owed in each currency, and the requests that no statement counts. */
function Sums({ period }: { period: string }) {
  const statements = useRead('GET /v1/statements', { query: { period, timezone: ZONE, limit: ALL } }, { keep: true });
  return (
    <Loaded of={statements} rows={2}>
      {({ data, totalCount, outside }) => (
        <>
          {data.length > 0 && data.length === totalCount && (
            <div className="totals">
              {sumsOf(data).map(({ currency, amount, count }) => (
                <div className="total" key={currency}>
                  <div className="name">Owed in {currency}</div>
                  <div className="value">{formatMoney(amount, currency)}</div>
                  <div className="than">{pluralize(count, 'statement')}</div>
                </div>
              ))}
            </div>
          )}
          {outside !== null && outside.noLicense + outside.noTerms > 0 && (
            <Panel title="Not on any statement">
              <p className="soft">
                {pluralize(outside.noLicense, 'request')} allowed without a license, and{' '}
                {pluralize(outside.noTerms, 'request')} by licenses without terms.
              </p>
            </Panel>
          )}
        </>
      )}
    </Loaded>
  );
}

/** Sums decimal texts exactly, by currency. */
function sumsOf(statements: readonly Statement[]): { currency: string; amount: string; count: number }[] {
  const groups = Map.groupBy(statements, ({ terms }) => terms.currency);
  return [...groups].map(([currency, some]) => {
    const digits = Math.max(...some.map(({ total }) => total.amount.split('.')[1]?.length ?? 0));
    const sum = some.reduce((all, { total }) => all + toInteger(total.amount, digits), 0n);
    return { currency, amount: toText(sum, digits), count: some.length };
  });
}

function toInteger(amount: string, digits: number): bigint {
  const [whole = '', fraction = ''] = amount.split('.');
  return BigInt(whole + fraction.padEnd(digits, '0'));
}

function toText(sum: bigint, digits: number): string {
  const text = (sum < 0n ? -sum : sum).toString().padStart(digits + 1, '0');
  const amount = digits === 0 ? text : `${text.slice(0, -digits)}.${text.slice(-digits)}`;
  return sum < 0n ? `-${amount}` : amount;
}

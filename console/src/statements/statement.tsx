/** The page of a statement: its lines and their evidence, to print, to save, to make final. */
import { Button } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';
import { partialWords } from '../../../src/rules/terms/price.ts';
import { useRead, useWrite } from '../api/read.ts';
import { formatMicros, formatMoney } from '../licenses/money.ts';
import { Confirm, MayButton } from '../parts/act.tsx';
import { Id } from '../parts/copy.tsx';
import { IconDownload, IconLock, IconPrinter } from '../parts/icons.ts';
import { type Column, List } from '../parts/list.tsx';
import { LoadedPage } from '../parts/loaded-page.tsx';
import { notify } from '../parts/notices.tsx';
import { Facts, PageHead, Panel } from '../parts/page.tsx';
import { useId } from '../parts/params.ts';
import { pluralize } from '../parts/plural.ts';
import { ReceiptButton } from '../parts/receipt-button.tsx';
import { useSaving } from '../parts/save.ts';
import { Chip, formatCount, formatTime } from '../parts/show.tsx';
import { PartnerName } from '../requesters/partner-name.tsx';
import { periodWords } from './period.ts';
import './statements.css';
import { type Line, STATES, type Statement } from './types.ts';

const UNDER = { path: '/statements', label: 'Statements' };

export default function StatementPage() {
  const id = useId();
  const statement = useRead('GET /v1/statements/{id}', { path: { id } });
  return (
    <LoadedPage of={statement} under={UNDER}>
      {(data) => <StatementView statement={data} />}
    </LoadedPage>
  );
}

function StatementView({ statement }: { statement: Statement }) {
  const { terms, total, status, period, requesterName, requesterId, uncounted } = statement;
  const { word, tone } = STATES[status];
  return (
    <>
      <PageHead
        title={`${periodWords(period)}, ${requesterName ?? requesterId}`}
        under={{ path: `/statements?period=${period}`, label: 'Statements' }}
        lead={
          <span className="tags">
            <Chip tone={tone}>{word}</Chip> <PartnerName id={requesterId} />
          </span>
        }
        actions={<Actions statement={statement} />}
      />
      <div className="stack">
        <Panel title="Lines">
          <Lines statement={statement} />
          <p className="sum">
            Total <strong>{formatMoney(total.amount, terms.currency)}</strong>
          </p>
        </Panel>
        {uncounted.length > 0 && (
          <Panel title="Not counted" lead="Requests for purposes that the terms do not list.">
            <ul className="plain">
              {uncounted.map(({ purpose, decisions }) => (
                <li key={purpose}>
                  {purpose ?? 'No purpose stated'}: {pluralize(decisions, 'request')}
                </li>
              ))}
            </ul>
          </Panel>
        )}
        <Panel title="Details">
          <Details statement={statement} />
        </Panel>
        <Evidence lines={statement.lines} />
      </div>
    </>
  );
}

function Details({ statement }: { statement: Statement }) {
  const { id, licenseId, terms, from, to, finalizedAt, termsVersion, partialPeriod } = statement;
  return (
    <Facts
      of={{
        Statement: <Id of={id} />,
        License: <Link href={`/licenses/${licenseId}`}>{terms.reference ?? licenseId}</Link>,
        Terms: `version ${termsVersion}`,
        Period: `${formatDayIn(terms.timezone, Date.parse(from))} – ${formatDayIn(terms.timezone, Date.parse(to) - 1)} (${terms.timezone})`,
        'Not whole': partialWords(partialPeriod) ?? null,
        Final: finalizedAt === null ? 'not yet' : `since ${formatTime(finalizedAt)}`,
      }}
    />
  );
}

const formatDayIn = (timeZone: string, at: number): string =>
  new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone }).format(at);

const FEES: Record<Exclude<Line['kind'], 'usage'>, string> = {
  true_up: 'Up to the minimum',
  flat: 'Fee of the period',
  correction: 'Correction of an earlier statement',
};

const lineWords = ({ kind, purpose, tier }: Line, tiers: number): string => {
  if (kind !== 'usage') return FEES[kind];
  const what = purpose === '*' ? 'Other purposes' : (purpose ?? 'No purpose stated');
  return tiers === 1 ? what : `${what}, tier ${tier}`;
};

function Lines({ statement: { lines, terms } }: { statement: Statement }) {
  const columns: readonly Column<Line>[] = [
    { label: 'For', show: (line) => lineWords(line, terms.tiers.length) },
    { label: 'Units', right: true, show: ({ units }) => (units === null ? '' : formatCount(units)) },
    {
      label: 'Each',
      right: true,
      show: ({ unitPriceMicros }) => (unitPriceMicros === null ? '' : formatMicros(unitPriceMicros, terms.currency)),
    },
    { label: 'Amount', right: true, show: ({ amount }) => formatMoney(amount, terms.currency) },
  ];
  return <List caption="Lines" records={lines} idOf={lineKey} columns={columns} />;
}

const lineKey = ({ kind, purpose, tier, statementId }: Line): string =>
  JSON.stringify([kind, purpose, tier, statementId]);

/** The decisions behind each line of usage. */
function Evidence({ lines }: { lines: readonly Line[] }) {
  const used = lines.filter(({ kind }) => kind === 'usage');
  if (used.length === 0) return null;
  const columns: readonly Column<Line>[] = [
    { label: 'Line', show: (line) => lineWords(line, Infinity) },
    { label: 'Requests', right: true, show: ({ decisions }) => formatCount(decisions ?? 0) },
    {
      label: 'First and last decision',
      show: ({ firstDecisionId, lastDecisionId }) => (
        <>
          {firstDecisionId !== null && <Id of={firstDecisionId} />}
          <br />
          {lastDecisionId !== null && <Id of={lastDecisionId} />}
        </>
      ),
    },
    { label: 'SHA-256 over the ids', show: ({ sha256 }) => <span className="mono hash">{sha256}</span> },
  ];
  return (
    <Panel title="Evidence" lead="Each line counts recorded decisions; anybody with their ids can count them again.">
      <List caption="Evidence" records={used} idOf={lineKey} columns={columns} />
    </Panel>
  );
}

function Actions({ statement: { id, period, requesterId, status } }: { statement: Statement }) {
  const write = useWrite();
  const { saving, save } = useSaving();
  const [confirming, setConfirming] = useState(false);
  const path = { id };
  const name = `statement-${period}-${requesterId.replaceAll(/[^\w-]/g, '_')}`;
  const file = (ending: string, accept: string) => (
    <Button
      variant="default"
      leftSection={<IconDownload size={16} />}
      loading={saving}
      onClick={() => save(`${name}.${ending}`, 'GET /v1/statements/{id}', { path }, accept)}
    >
      {ending.toUpperCase()}
    </Button>
  );
  return (
    <>
      <MayButton
        permission="requesters:write"
        leftSection={<IconLock size={16} />}
        because={
          status === 'final' ? 'It is final.' : status === 'running' ? 'Its period has not ended yet.' : undefined
        }
        onClick={() => setConfirming(true)}
      >
        Make final
      </MayButton>
      <Button variant="default" leftSection={<IconPrinter size={16} />} onClick={() => window.print()}>
        Print
      </Button>
      {file('html', 'text/html')}
      {file('csv', 'text/csv')}
      {status === 'final' && <ReceiptButton of="GET /v1/statements/{id}/proof" id={id} />}
      {confirming && (
        <Confirm
          title="Make the statement final?"
          action="Make final"
          onClose={() => setConfirming(false)}
          onConfirm={() =>
            write('POST /v1/statements/{id}/finalize', { path }).then(() => notify('The statement is final.'))
          }
        >
          It never changes again. What is counted differently later becomes a correction on the next statement that is
          not final.
        </Confirm>
      )}
    </>
  );
}

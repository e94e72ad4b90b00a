/** Statements in a table: used, owed, and how far they are. */
import { Link } from 'wouter';
import { formatMoney } from '../licenses/money.ts';
import type { Column } from '../parts/list.tsx';
import { Chip, formatCount } from '../parts/show.tsx';
import { PartnerName } from '../requesters/partner-name.tsx';
import { periodWords } from './period.ts';
import { STATES, type Statement } from './types.ts';

export const PARTNER: Column<Statement> = {
  label: 'Partner',
  show: ({ requesterId }) => (
    <div className="word">
      <PartnerName id={requesterId} />
    </div>
  ),
};

export const LICENSE: Column<Statement> = {
  label: 'License',
  show: ({ licenseId, terms }) => <Link href={`/licenses/${licenseId}`}>{terms.reference ?? licenseId}</Link>,
};

export const STATEMENT_COLUMNS: readonly Column<Statement>[] = [
  {
    label: 'Period',
    show: ({ id, period }) => <Link href={`/statements/${id}`}>{periodWords(period)}</Link>,
  },
  { label: 'Units', right: true, show: ({ units }) => formatCount(units) },
  { label: 'Requests', right: true, show: ({ decisions }) => formatCount(decisions) },
  { label: 'Amount', right: true, show: ({ total, terms }) => formatMoney(total.amount, terms.currency) },
  {
    label: 'State',
    narrow: true,
    show: ({ status }) => <Chip tone={STATES[status].tone}>{STATES[status].word}</Chip>,
  },
];

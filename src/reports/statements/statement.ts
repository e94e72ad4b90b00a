/**
 * A statement: what a license used in one billing period, and what that costs. It is computed until it is final. Its id
 * is made of the start of the period and of the license's id.
 */
import { fromBase32, ID_BODY, toBase32 } from '../../lib/id.ts';
import type { FinalPeriod } from '../../requesters/licenses/final-store.ts';
import { type Contract, licenseIdTail } from '../../requesters/licenses/terms-store.ts';
import type { PartialPeriod } from '../../rules/terms/price.ts';
import type { Terms } from '../../rules/terms/terms.ts';
import { type BillingPeriodSpan, billingPeriods } from '../../rules/terms/timeline.ts';
import type { Amount, StatementLine } from './bill.ts';

export const STATUSES = ['running', 'open', 'final'] as const;

/** On the wire. */
export interface Statement {
  id: string;
  object: 'statement';
  status: (typeof STATUSES)[number];
  licenseId: string;
  requesterId: string;
  requesterName: string | null;
  period: string;
  from: string;
  /** Exclusive. */
  to: string;
  termsVersion: number;
  terms: Terms;
  /** null: a whole period; absent on statements that became final before there was this field. */
  partialPeriod?: PartialPeriod | null;
  units: number;
  decisions: number;
  lines: StatementLine[];
  total: Amount;
  uncounted: { purpose: string | null; decisions: number }[];
  finalizedAt: string | null;
  created: string;
  updated: string;
}

/** A contract with its final periods of a time. */
export type BilledContract = Contract & { finals: readonly FinalPeriod[] };

/** A billing period of a contract. */
export interface Billed {
  id: string;
  contract: Contract;
  span: BillingPeriodSpan;
}

const PREFIX = 'stm_';
const ID = new RegExp(`^${PREFIX}${ID_BODY}$`);
const TIME = 10;

const statementId = (licenseId: string, start: number): string =>
  `${PREFIX}${toBase32(start, TIME)}${licenseIdTail(licenseId)}`;

/** Returns the parts of a statement's id; undefined for another text. */
export function parseStatementId(id: string): { start: number; tail: string } | undefined {
  const body = id.slice(PREFIX.length);
  const start = ID.test(id) ? fromBase32(body.slice(0, TIME)) : undefined;
  return start === undefined ? undefined : { start, tail: body.slice(TIME) };
}

/** Returns the billing periods of a contract that end after `since` and begin before `until`. */
export const billedPeriods = (contract: Contract, range: { since: number; until: number }): Billed[] =>
  [...billingPeriods(contract.segments, contract.bounds, range)].map((span) => ({
    id: statementId(contract.licenseId, span.start),
    contract,
    span,
  }));

/** A month, quarter or year. */
export interface AskedPeriod {
  /** Months since the year 0. */
  first: number;
  last: number;
}

/** Without the first and the last year: in some time zones they touch years that timestamps do not have. */
export const PERIOD_PATTERN = '^(?!0000|9999)\\d{4}(-(0[1-9]|1[0-2]|Q[1-4]))?$';

export function parsePeriod(label: string): AskedPeriod {
  const [year = '', part] = label.split('-');
  const january = Number(year) * 12;
  if (part === undefined) return { first: january, last: january + 11 };
  if (!part.startsWith('Q')) return { first: january + Number(part) - 1, last: january + Number(part) - 1 };
  const first = january + (Number(part.slice(1)) - 1) * 3;
  return { first, last: first + 2 };
}

/** Returns whether a billing period ends within the asked one. */
export const endsWithin = ({ label }: BillingPeriodSpan, { first, last }: AskedPeriod): boolean => {
  const end = parsePeriod(label).last;
  return first <= end && end <= last;
};

const DAY_MS = 86_400_000;

/** Months in a period, less one. A period cut short by the license's end keeps its last month. */
const MONTHS_BEFORE = { month: 0, quarter: 2, year: 11 } as const;

/** Returns a range of time that meets all billing periods of a contract that end within the asked one. */
export function contractRange({ segments }: Contract, { first, last }: AskedPeriod): { since: number; until: number } {
  const before = Math.max(0, ...segments.map(({ terms }) => MONTHS_BEFORE[terms.period]));
  return { since: monthIn('UTC', first - before) - 2 * DAY_MS, until: monthIn('UTC', last + 1) + 2 * DAY_MS };
}

/** Returns a range of time that meets all billing periods that end within the asked one, by any terms. */
export const widestRange = ({ first, last }: AskedPeriod): { since: number; until: number } => ({
  since: monthIn('UTC', first - MONTHS_BEFORE.year) - 2 * DAY_MS,
  until: monthIn('UTC', last + 1) + 2 * DAY_MS,
});

/** Returns the start of a month in a time zone. */
export function monthIn(timezone: string, month: number): number {
  const first = Temporal.PlainDate.from({ year: Math.floor(month / 12), month: (month % 12) + 1, day: 1 });
  return first.toZonedDateTime(timezone).epochMilliseconds;
}

/** The terms of a license as typed, and as the API takes them. */
import { minorDigits } from '../../../src/rules/terms/money.ts';
import type { Row } from '../api/client.ts';
import { dayAt, ZONE } from '../parts/days.ts';
import { amountFault, parseCount, parseMicros, toDecimal } from './money.ts';

export type Terms = NonNullable<Row<'GET /v1/licenses'>['terms']>;
type OnExceed = NonNullable<Terms['quota']>['onExceed'];
type QuotaPeriod = NonNullable<NonNullable<Terms['quota']>['period']>;

/** A tier as typed; the last one has no end. */
export interface TierFields {
  key: number;
  upTo: string;
  price: string;
}

export interface TermsFields {
  reference: string;
  currency: string;
  timezone: string;
  period: Terms['period'];
  unit: Terms['unit'];
  purposes: string[];
  tiers: TierFields[];
  minimum: string;
  flat: string;
  /** `yes`: less in a period that is not whole; empty: not said. */
  prorate: '' | 'yes' | 'no';
  quotaUnits: string;
  /** Empty: the billing period. */
  quotaPeriod: QuotaPeriod | '';
  onExceed: OnExceed;
  /** Percents of the quota. */
  alerts: string[];
}

const STARTING: TermsFields = {
  reference: '',
  currency: 'EUR',
  timezone: ZONE,
  period: 'month',
  unit: 'decision',
  purposes: [],
  tiers: [{ key: 0, upTo: '', price: '' }],
  minimum: '',
  flat: '',
  prorate: '',
  quotaUnits: '',
  quotaPeriod: '',
  onExceed: 'allow',
  alerts: ['50', '80', '100'],
};

export function toFields(terms: Terms | null): TermsFields {
  if (terms === null) return STARTING;
  const { currency, quota, alerts = [], purposes = [], reference = '' } = terms;
  const decimal = (micros: number | undefined): string => (micros === undefined ? '' : toDecimal(micros, currency));
  return {
    reference,
    currency,
    timezone: terms.timezone,
    period: terms.period,
    unit: terms.unit,
    purposes,
    tiers: terms.tiers.map(({ upTo, unitPriceMicros }, key) => ({
      key,
      upTo: upTo === null ? '' : String(upTo),
      price: decimal(unitPriceMicros),
    })),
    minimum: decimal(terms.minimumMicros),
    flat: decimal(terms.flatMicros),
    prorate: terms.prorate === undefined ? '' : terms.prorate ? 'yes' : 'no',
    quotaUnits: quota === undefined ? '' : String(quota.units),
    quotaPeriod: quota?.period ?? '',
    onExceed: quota?.onExceed ?? 'allow',
    alerts: alerts.map((part) => String(Math.round(part * 10_000) / 100)),
  };
}

/** Faults by the names of their fields: `tiers.0.price`, `currency`. */
export type Faults = Record<string, string>;

const toCount = (text: string): number | undefined => parseCount(text) || undefined;

export function faultsOf(fields: TermsFields): Faults {
  const faults: Faults = {};
  if (minorDigits(fields.currency) === undefined) faults.currency = 'Three letters, such as EUR or USD.';
  for (const name of ['minimum', 'flat'] as const) {
    const fault = feeFault(fields[name], fields.currency);
    if (fault !== undefined) faults[name] = fault;
  }
  if (fields.quotaUnits !== '' && toCount(fields.quotaUnits) === undefined) faults.quotaUnits = COUNT;
  return { ...faults, ...tierFaults(fields.tiers) };
}

/** Returns the fault of an amount that is a line of a statement: it has the decimals of its currency. */
function feeFault(text: string, currency: string): string | undefined {
  if (text === '') return undefined;
  const micros = parseMicros(text);
  if (micros === undefined) return amountFault(text);
  const digits = minorDigits(currency) ?? 2;
  return micros % 10 ** (6 - digits) === 0 ? undefined : `At most ${digits} decimals.`;
}

const COUNT = 'A whole number from 1, such as 2500.';

function tierFaults(tiers: readonly TierFields[]): Faults {
  const faults: Faults = {};
  let before = 0;
  tiers.forEach(({ upTo, price }, i) => {
    // What is still empty is missing, not wrong.
    const fault = price === '' ? '' : amountFault(price);
    if (fault !== undefined) faults[`tiers.${i}.price`] = fault;
    if (i === tiers.length - 1) return;
    const end = toCount(upTo);
    if (end === undefined) faults[`tiers.${i}.upTo`] = COUNT;
    else if (end <= before) faults[`tiers.${i}.upTo`] = `More than ${before}.`;
    before = end ?? before;
  });
  return faults;
}

/** Converts fields without faults. */
export function toTerms(fields: TermsFields): Terms {
  const { reference, purposes, alerts, period, unit, timezone, currency } = fields;
  const units = toCount(fields.quotaUnits);
  const [minimumMicros, flatMicros] = [parseMicros(fields.minimum), parseMicros(fields.flat)];
  const parts = alerts.map((percent) => Number(percent) / 100).toSorted((a, b) => a - b);
  return {
    currency,
    timezone,
    period,
    unit,
    tiers: fields.tiers.map(({ upTo, price }, i) => ({
      upTo: i === fields.tiers.length - 1 ? null : (toCount(upTo) ?? null),
      unitPriceMicros: parseMicros(price) ?? 0,
    })),
    ...(reference.trim() === '' ? {} : { reference: reference.trim() }),
    ...(purposes.length === 0 ? {} : { purposes }),
    ...(minimumMicros === undefined ? {} : { minimumMicros }),
    ...(flatMicros === undefined ? {} : { flatMicros }),
    ...(fields.prorate === '' ? {} : { prorate: fields.prorate === 'yes' }),
    ...(units === undefined ? {} : { quota: toQuota(fields, units), ...(parts.length === 0 ? {} : { alerts: parts }) }),
  };
}

const toQuota = ({ quotaPeriod, onExceed }: TermsFields, units: number): NonNullable<Terms['quota']> => ({
  units,
  ...(quotaPeriod === '' ? {} : { period: quotaPeriod }),
  onExceed,
});

const PERIOD_MONTHS: Record<Terms['period'], number> = { month: 1, quarter: 3, year: 12 };

/** Returns the first day of the next billing period, for the viewer's calendar. */
export function nextPeriod(period: Terms['period'], now = Date.now()): string {
  const [year = 0, month = 0] = dayAt(now).split('-').map(Number);
  const months = PERIOD_MONTHS[period];
  const next = Math.floor((month - 1) / months) * months + months;
  return dayAt(new Date(year, next, 1));
}

/** The properties of each part of the form. */
export interface PartProps {
  fields: TermsFields;
  faults: Faults;
  onChange: (changed: Partial<TermsFields>) => void;
}

/**
 * The terms of a license: what its decisions cost, and how many of them it includes. Money is in integers of
 * 1/1,000,000 of the currency (*micros*).
 */
import { type Static, Type } from 'typebox';
import { orNull, textOrNull } from '../../lib/nullable.ts';
import { fieldPath, type Problem, refined } from '../../lib/refined.ts';
import { minorUnit } from './money.ts';

const BILLING_PERIODS = ['month', 'quarter', 'year'] as const;
const QUOTA_PERIODS = ['day', 'week', ...BILLING_PERIODS, 'term'] as const;
export type QuotaPeriod = (typeof QUOTA_PERIODS)[number];
const UNITS = ['decision', 'distinct_content'] as const;

/** A unit costs at most 1,000,000 of its currency. */
const PRICE_MAX = 1_000_000_000_000;
/** Sums of a period stay far below 2^53. */
const FEE_MAX = 1_000_000_000_000_000;
const COUNT_MAX = 1_000_000_000_000;

const micros = (maximum: number, description: string) => Type.Integer({ minimum: 0, maximum, description });
const count = (description: string) => Type.Integer({ minimum: 1, maximum: COUNT_MAX, description });

const Tier = Type.Object(
  {
    upTo: orNull(count('The last unit at this price'), 'null in the last tier'),
    unitPriceMicros: micros(PRICE_MAX, 'Price of a unit, in 1/1,000,000 of the currency'),
  },
  { additionalProperties: false, title: 'LicenseTier' },
);
export type Tier = Static<typeof Tier>;

const Quota = Type.Object(
  {
    units: count('Units included per period'),
    period: Type.Optional(
      Type.Enum([...QUOTA_PERIODS], { description: 'By default the billing period; `term`: the whole license' }),
    ),
    onExceed: Type.Enum(['deny', 'allow'], {
      description: '`deny`: units beyond the quota are denied; `allow`: they are allowed and billed',
    }),
  },
  { additionalProperties: false, title: 'LicenseQuota' },
);

const Fields = Type.Object(
  {
    reference: Type.Optional(
      Type.String({ minLength: 1, maxLength: 200, format: 'plain-text', description: 'Your name of the contract' }),
    ),
    currency: Type.String({ format: 'currency', description: 'An ISO 4217 code' }),
    timezone: Type.String({ maxLength: 64, format: 'time-zone', description: 'An IANA time zone' }),
    period: Type.Enum([...BILLING_PERIODS], { description: 'The calendar period of a statement' }),
    unit: Type.Enum([...UNITS], {
      description: 'What is counted: allowed decisions, or the items and URLs that they allowed, each once per period',
    }),
    purposes: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
        minItems: 1,
        maxItems: 50,
        description: 'Purposes that are counted; all by default',
      }),
    ),
    tiers: Type.Array(Tier, { minItems: 1, maxItems: 20, description: 'Graduated prices, ascending' }),
    minimumMicros: Type.Optional(micros(FEE_MAX, 'The least that the units of a period cost')),
    flatMicros: Type.Optional(micros(FEE_MAX, 'A fee per period, beside the units')),
    quota: Type.Optional(Quota),
    prorate: Type.Optional(
      Type.Boolean({
        description:
          'Reduces `minimumMicros`, `flatMicros` and a quota by month, quarter or year in a first or last period that is not whole, by calendar days; in full by default',
      }),
    ),
    alerts: Type.Optional(
      Type.Array(Type.Number({ minimum: 0.01, maximum: 10 }), {
        minItems: 1,
        maxItems: 10,
        description:
          'Parts of the quota that are announced when they are reached, ascending; by default 0.5, 0.8 and 1',
      }),
    ),
  },
  { additionalProperties: false, title: 'LicenseTerms', description: 'The terms that the license is billed by' },
);
export type Terms = Static<typeof Fields>;

export const Terms = refined(Fields, termsProblems);

/** The state of a quota on the wire. */
export const QuotaStatus = Type.Object(
  {
    units: Type.Integer({ description: 'Units included per period' }),
    used: Type.Integer({ description: 'Units used in the period' }),
    remaining: Type.Integer({ description: 'Units left in the period' }),
    period: Type.Enum([...QUOTA_PERIODS]),
    resetAt: textOrNull('When units are available again; null: never'),
  },
  { title: 'QuotaStatus' },
);

export function termsProblems({ tiers, purposes = [], alerts = [], quota }: Terms, at: string): Problem[] {
  const faults = tierFaults(tiers);
  if (new Set(purposes).size < purposes.length) faults.push(['purposes', 'must not list a purpose twice']);
  if (alerts.some((alert, i) => i > 0 && alert <= (alerts[i - 1] as number))) {
    faults.push(['alerts', 'must be ascending']);
  }
  if (alerts.length > 0 && quota === undefined) faults.push(['alerts', 'needs a `quota` to be parts of']);
  return faults.map(([field, fault]) => {
    const param = fieldPath(at, field);
    return { param, message: `\`${param}\` ${fault}.` };
  });
}

/**
 * Returns the faults of terms that are new. Stored ones keep them: they are judged only when they change. Amounts of a
 * line must be whole minor units, and `*` stands for several purposes on statements.
 */
export function newTermsProblems(terms: Terms | null | undefined, at: string): Problem[] {
  if (terms == null) return [];
  const { currency, purposes = [] } = terms;
  const unit = minorUnit(currency);
  const faults = (['minimumMicros', 'flatMicros'] as const)
    .filter((field) => BigInt(terms[field] ?? 0) % unit !== 0n)
    .map((field): Fault => [field, `must be a multiple of ${unit}, the smallest amount of ${currency} in micros`]);
  if (purposes.includes('*')) faults.push(['purposes', 'must not list `*`, which stands for several purposes']);
  return faults.map(([field, fault]) => {
    const param = fieldPath(at, field);
    return { param, message: `\`${param}\` ${fault}.` };
  });
}

type Fault = [field: string, fault: string];

function tierFaults(tiers: readonly Tier[]): Fault[] {
  let before = 0;
  return tiers.flatMap(({ upTo }, i): Fault[] => {
    const field = `tiers[${i}].upTo`;
    const isLast = i === tiers.length - 1;
    if (isLast) return upTo === null ? [] : [[field, 'must be null in the last tier, which has no end']];
    if (upTo === null) return [[field, 'may be null only in the last tier']];
    const last = before;
    before = upTo;
    return upTo > last ? [] : [[field, `must be greater than that of the tier before (${last})`]];
  });
}

export const countsPurpose = (
  { purposes }: { readonly purposes?: readonly string[] | undefined },
  purpose: string | null,
): boolean => purposes === undefined || (purpose !== null && purposes.includes(purpose));

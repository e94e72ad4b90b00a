/** Statements on the wire. */
import { type Static, Type } from 'typebox';
import { listSchema, pageProperties } from '../../api/http/list.ts';
import { orNull, textOrNull } from '../../lib/nullable.ts';
import { refined } from '../../lib/refined.ts';
import { newLicenseProblems } from '../../requesters/licenses/license.ts';
import { RequesterId } from '../../rules/conditions/names.ts';
import { QuotaStatus, Terms } from '../../rules/terms/terms.ts';
import { LINE_KINDS } from './bill.ts';
import { PERIOD_PATTERN, STATUSES } from './statement.ts';

const integerOrNull = (description?: string) => orNull(Type.Integer(), description);

const amountProperties = {
  amount: Type.String({
    pattern: '^-?[0-9]+(\\.[0-9]+)?$',
    expected: 'must be a decimal, such as 12.50',
    description: 'A decimal in the currency',
  }),
  amountMicros: integerOrNull('In 1/1,000,000 of the currency; null beyond 2^53'),
};
export const AmountSchema = Type.Object(amountProperties, { title: 'Amount' });

const Hashed = Type.Object(
  {
    decisions: Type.Integer(),
    sha256: Type.String({ description: 'SHA-256 over the sorted decision ids, each followed by a line feed' }),
  },
  { title: 'HashedDecisions' },
);

const Line = Type.Object(
  {
    kind: Type.Enum([...LINE_KINDS]),
    purpose: textOrNull('`*`: all purposes beyond the first 100'),
    tier: integerOrNull('From 1'),
    units: integerOrNull(),
    unitPriceMicros: integerOrNull(),
    decisions: integerOrNull(),
    firstDecisionId: textOrNull(),
    lastDecisionId: textOrNull(),
    sha256: textOrNull(),
    root: Type.Optional(
      Type.String({
        description:
          'Root of the tree of RFC 6962 over the sorted decision ids, in base64: receipts prove single decisions by it. Absent until the statement is final, and on those that became final before there were roots',
      }),
    ),
    deleted: orNull(Hashed, 'Decisions of the line whose items were deleted'),
    statementId: textOrNull('The statement that a correction corrects'),
    ...amountProperties,
  },
  { title: 'StatementLine' },
);

const partialPeriod = orNull(
  Type.Object(
    {
      days: Type.Integer({ description: 'Calendar days that the license lasts in the period' }),
      of: Type.Integer({ description: 'Calendar days of the period' }),
      prorated: Type.Boolean({ description: 'The terms say `prorate`; else the amounts count in full' }),
      minimumMicros: integerOrNull('As it counts in this period; null without one'),
      flatMicros: integerOrNull('As it counts in this period; null without one'),
      quotaUnits: integerOrNull('As they count in this period; null without a quota of the billing period'),
    },
    { title: 'PartialPeriod' },
  ),
  'A first or last period that is not whole, and what counts in it; null: a whole period',
);

export const PurposeCount = Type.Object(
  { purpose: textOrNull(), decisions: Type.Integer() },
  { title: 'PurposeCount' },
);

export const StatementAnswer = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal('statement'),
    status: Type.Enum([...STATUSES], { description: '`running`: its period has not ended; `open`: not final yet' }),
    licenseId: Type.String(),
    requesterId: Type.String(),
    requesterName: textOrNull(),
    period: Type.String({ description: '`2026-10`, `2026-Q4` or `2026`' }),
    from: Type.String({ format: 'date-time' }),
    to: Type.String({ format: 'date-time', description: 'Exclusive' }),
    termsVersion: Type.Integer(),
    terms: Terms,
    partialPeriod: Type.Optional(partialPeriod),
    units: Type.Integer(),
    decisions: Type.Integer({ description: 'Decisions that the terms count' }),
    lines: Type.Array(Line),
    total: AmountSchema,
    uncounted: Type.Array(PurposeCount, {
      description: 'Decisions of the license for purposes that its terms do not count',
    }),
    finalizedAt: textOrNull(),
    created: Type.String(),
    updated: Type.String(),
  },
  { title: 'Statement', description: 'What a license used in a billing period, and what that costs' },
);

export const StatementPage = Type.Object(
  {
    ...listSchema(StatementAnswer).properties,
    outside: orNull(
      Type.Object({
        from: Type.String(),
        to: Type.String(),
        noLicense: Type.Integer({ description: 'Allowed without a stored license' }),
        noTerms: Type.Integer({ description: 'Allowed by a license without terms' }),
        deleted: Type.Integer({
          description:
            'Decisions of the period, on statements or not, whose items were deleted since: usage has the others',
        }),
      }),
      'Allowed, enforced decisions of the period, by UTC or `timezone`, that are on no statement; null in a selection',
    ),
  },
  { title: 'StatementList' },
);

export const ListStatementsQuery = Type.Object(
  {
    ...pageProperties,
    period: Type.Optional(
      Type.String({
        pattern: PERIOD_PATTERN,
        expected: 'must be a month, quarter or year, such as 2026-10, 2026-Q4 or 2026',
        description: 'Statements whose billing period ends within this month, quarter or year; by default this month',
      }),
    ),
    requesterId: Type.Optional(RequesterId),
    licenseId: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
    timezone: Type.Optional(
      Type.String({ maxLength: 64, format: 'time-zone', description: 'The time zone of `outside`' }),
    ),
  },
  { additionalProperties: false },
);
export type ListStatementsQuery = Static<typeof ListStatementsQuery>;

const timeOrNull = (description: string) => Type.Optional(orNull(Type.String({ format: 'date-time' }), description));

export const FirstBillRequest = refined(
  Type.Object(
    {
      terms: Terms,
      startsAt: timeOrNull('When the license starts; now by default'),
      expiresAt: timeOrNull('When the license ends; never by default'),
      units: Type.Optional(
        Type.Integer({ minimum: 0, maximum: 1_000_000_000_000, description: 'Units of the period; 0 by default' }),
      ),
    },
    { additionalProperties: false, title: 'FirstBillRequest' },
  ),
  newLicenseProblems,
);
export type FirstBillRequest = Static<typeof FirstBillRequest>;

export const FirstBill = Type.Object(
  {
    object: Type.Literal('first_bill'),
    period: Type.String({ description: '`2026-10`, `2026-Q4` or `2026`' }),
    from: Type.String({ format: 'date-time', description: 'When the license starts within the period' }),
    to: Type.String({ format: 'date-time', description: 'Exclusive' }),
    partialPeriod,
    units: Type.Integer(),
    lines: Type.Array(Line),
    total: AmountSchema,
  },
  { title: 'FirstBill', description: 'What a license would cost in its first billing period' },
);

export const LicenseUsage = Type.Object(
  {
    object: Type.Literal('license_usage'),
    licenseId: Type.String(),
    statementId: Type.String({ description: 'The statement of the running period' }),
    period: Type.String(),
    from: Type.String(),
    to: Type.String(),
    unit: Terms.properties.unit,
    currency: Terms.properties.currency,
    partialPeriod,
    units: Type.Integer({ description: 'Used so far' }),
    projectedUnits: Type.Integer({
      description:
        'By the end of the period, at the pace so far, which is that of a day at least; no more than a quota that denies still gives',
    }),
    decisions: Type.Integer(),
    amount: AmountSchema,
    projectedAmount: AmountSchema,
    quota: orNull(QuotaStatus),
    alerts: Type.Array(Type.Object({ at: Type.Number(), reached: Type.Boolean() })),
    byPurpose: Type.Array(Type.Object({ purpose: textOrNull(), units: Type.Integer(), decisions: Type.Integer() })),
    byDay: Type.Array(Type.Object({ date: Type.String(), decisions: Type.Integer() })),
  },
  { title: 'LicenseUsage', description: 'The running period of a license' },
);

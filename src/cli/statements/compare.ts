/** Compares what a statement says with what was counted again. */
import type { Answered } from '../../../client/src/types.ts';
import { computeBill, toAmount } from '../../reports/statements/bill.ts';
import type { Tallied, TalliedLine } from '../../reports/statements/tallied.ts';
import { toMicros } from '../../rules/terms/money.ts';

type Statement = Answered<'getStatement'>;
type Line = Statement['lines'][number];

export interface StatementDifference {
  line: string;
  field: string;
  stated: string | number | null;
  counted: string | number | null;
}

/** Compares the counts of deleted decisions. Those of a final statement may have grown since. */
export function compareDeleted(
  { status }: Statement,
  stated: readonly Line[],
  counted: readonly TalliedLine[],
): StatementDifference[] {
  const now = new Map(counted.map((line) => [lineName({ ...line, tier: line.tier + 1 }), line.deleted]));
  return stated.flatMap((line) => {
    const [said, found] = [line.deleted, now.get(lineName(line)) ?? null];
    const [n, of] = [said?.decisions ?? 0, found?.decisions ?? 0];
    if (status === 'final' && n < of) return [];
    const toFields = (one: typeof said) => ({ 'deleted.decisions': one?.decisions, 'deleted.sha256': one?.sha256 });
    return compareFields(lineName(line), ['deleted.decisions', 'deleted.sha256'], toFields(said), toFields(found));
  });
}

/** Compares the decisions that cost nothing. */
export function compareUncounted(statement: Statement, tallied: Tallied): StatementDifference[] {
  const [stated, counted] = [statement.uncounted, tallied.uncounted].map(
    (some) => new Map(some.map((one) => [one.purpose, one])),
  );
  return [...new Set([...(stated?.keys() ?? []), ...(counted?.keys() ?? [])])].flatMap((purpose) =>
    compareFields(`uncounted, ${purpose ?? 'no purpose'}`, ['decisions'], stated?.get(purpose), counted?.get(purpose)),
  );
}

/** Compares what a file says besides its counts with what the service says. */
export function compareHeads(file: Statement, service: Statement): StatementDifference[] {
  const toHead = (one: Statement) => ({
    ...one,
    terms: canonicalText(one.terms),
    partialPeriod: canonicalText(one.partialPeriod),
  });
  return compareFields('statement', HEAD, toHead(file), toHead(service));
}

const canonicalText = (value: unknown): string => JSON.stringify(sortedKeys(value ?? null));

const HEAD = [
  'status',
  'licenseId',
  'requesterId',
  'requesterName',
  'period',
  'from',
  'to',
  'termsVersion',
  'terms',
  'partialPeriod',
  'finalizedAt',
] as const;

const sortedKeys = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(sortedKeys)
    : typeof value === 'object' && value !== null
      ? Object.fromEntries(
          Object.entries(value)
            .toSorted(([a], [b]) => (a < b ? -1 : 1))
            .map(([key, one]) => [key, sortedKeys(one)]),
        )
      : value;

/** Prices the lines again: those of the statement itself, whose units are compared before. */
export function compareAmounts({ lines, terms, total, partialPeriod = null }: Statement): StatementDifference[] {
  const { currency } = terms;
  const stated = lines.filter(({ kind }) => kind !== 'correction');
  const usage = stated.flatMap(({ kind, tier, units, ...line }) =>
    kind === 'usage' ? [{ ...line, tier: (tier ?? 1) - 1, units: units ?? 0 } as TalliedLine] : [],
  );
  const { lines: priced, ownMicros } = computeBill(terms, { lines: usage }, { share: partialPeriod });
  const corrections = lines.filter(({ kind }) => kind === 'correction');
  const corrected = corrections.reduce((sum, { amount }) => sum + toMicros(amount), 0n);
  const known = new Map(stated.map((line) => [amountName(line), line]));
  const own = new Map(priced.map((line) => [amountName(line), line]));
  return [
    // Each line is there once: a second one of its name would be added up by who reads the file.
    ...compareFields('statement', ['lines'], { lines: stated.length }, { lines: known.size }),
    ...[...new Set([...known.keys(), ...own.keys()])].flatMap((name) =>
      compareFields(name, PRICED, known.get(name), own.get(name)),
    ),
    ...corrections.flatMap((line) =>
      compareFields('correction', AMOUNT, line, toAmount(toMicros(line.amount), currency)),
    ),
    ...compareFields('total', AMOUNT, total, toAmount(ownMicros + corrected, currency)),
  ];
}

/** The sums in the head of a statement are those of its lines, which are counted again. */
export function compareSums({ units, decisions }: Statement, stated: readonly Line[]): StatementDifference[] {
  const sum = (field: 'units' | 'decisions'): number => stated.reduce((all, line) => all + (line[field] ?? 0), 0);
  const sums = { units: sum('units'), decisions: sum('decisions') };
  return compareFields('statement', ['units', 'decisions'], { units, decisions }, sums);
}

const AMOUNT = ['amount', 'amountMicros'] as const;
const PRICED = ['unitPriceMicros', ...AMOUNT] as const;

type Fields<K extends string> = Partial<Record<K, string | number | null>> | undefined;

function compareFields<K extends string>(
  line: string,
  fields: readonly K[],
  stated: Fields<K>,
  counted: Fields<K>,
): StatementDifference[] {
  return fields.flatMap((field): StatementDifference[] => {
    const [one, other] = [stated?.[field] ?? null, counted?.[field] ?? null];
    return one === other ? [] : [{ line, field, stated: one, counted: other }];
  });
}

const amountName = (line: Pick<Line, 'kind' | 'purpose' | 'tier'>): string =>
  line.kind === 'usage' ? lineName(line) : line.kind;

export const lineName = ({ purpose, tier }: { purpose: string | null; tier: number | null }): string =>
  `${purpose ?? 'no purpose'}, tier ${tier}`;

const FIELDS = ['units', 'decisions', 'firstDecisionId', 'lastDecisionId', 'sha256', 'root'] as const;

export function compareLines(stated: readonly Line[], counted: readonly TalliedLine[]): StatementDifference[] {
  const lines = new Map(counted.map((line) => [lineName({ ...line, tier: line.tier + 1 }), line]));
  const names = new Set([...stated.map(lineName), ...lines.keys()]);
  return [...names].flatMap((name) => {
    const said = stated.find((line) => lineName(line) === name);
    const found = lines.get(name);
    return compareFields(name, FIELDS, said, found);
  });
}

/** Without the decisions of deleted items, tiers and digests cannot be counted again: the numbers must still add up. */
export function comparePurposes(
  stated: readonly Line[],
  counted: readonly TalliedLine[],
  mayHaveMore: boolean,
): StatementDifference[] {
  const purposes = new Set([...stated, ...counted].map(({ purpose }) => purpose));
  return [...purposes].flatMap((purpose): StatementDifference[] => {
    const said = stated.filter((line) => line.purpose === purpose);
    const all = said.reduce((sum, line) => sum + (line.decisions ?? 0), 0);
    const left = said.reduce((sum, line) => sum + (line.decisions ?? 0) - (line.deleted?.decisions ?? 0), 0);
    const found = counted.reduce((sum, line) => sum + (line.purpose === purpose ? line.decisions : 0), 0);
    const name = purpose ?? 'no purpose';
    const agrees = mayHaveMore ? left <= found && found <= all : left === found;
    return agrees ? [] : [{ line: name, field: 'decisions of existing items', stated: left, counted: found }];
  });
}

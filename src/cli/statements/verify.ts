/** Counts a statement again from exported decisions, and compares. */
import type { Answered } from '../../../client/src/types.ts';
import { DECISION_ID_LENGTH } from '../../ledger/decision-ids.ts';
import { billOf, toAmount } from '../../statements/bill.ts';
import { type Tallied, type TalliedLine, Tally, type TallyIds } from '../../statements/tally.ts';
import { toMicros } from '../../terms/money.ts';
import { textLines } from '../import/text-lines.ts';
import { misused } from '../outcome.ts';

type Statement = Answered<'getStatement'>;
type Line = Statement['lines'][number];

export interface Difference {
  line: string;
  field: string;
  stated: string | number | null;
  counted: string | number | null;
}

export interface Verified {
  /** Decisions that were counted again. */
  decisions: number;
  /** Decisions of deleted items: they are in no log. */
  deleted: number;
  /** Decisions that the statement counts, and that are nowhere. */
  missing: number;
  differences: Difference[];
}

/** A decision, as the log exports it. */
export interface Exported {
  id: string;
  allowed: boolean;
  enforced?: boolean;
  licenseId: string | null;
  contentId: string | null;
  url?: string | null;
  purpose: string | null;
  created: string;
}

/** `decisions`: NDJSON, in any order; those of others are left out. `archived`: decisions of the statement. */
export async function findDifferences(
  statement: Statement,
  decisions: AsyncIterable<Uint8Array>,
  archived: readonly Exported[] = [],
): Promise<Verified> {
  const own = new Map(archived.map((one) => [one.id, one]));
  for await (const lines of textLines(decisions)) {
    for (const line of lines)
      if (line.trim() !== '') for (const one of ofStatement(statement, line)) own.set(one.id, one);
  }
  const sorted = [...own.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const tally = new Tally(statement.terms, exportedIds(sorted));
  for (const [seq, { purpose, contentId, url }] of sorted.entries()) {
    tally.add({ at: 0, seq, purpose, content: contentId ?? url ?? '', deleted: false });
  }
  const tallied = tally.result();
  const { lines, decisions: counted } = tallied;
  const stated = statement.lines.filter(({ kind }) => kind === 'usage');
  const deleted = stated.reduce((sum, line) => sum + (line.deleted?.decisions ?? 0), 0);
  const isWhole = deleted === 0 || counted === statement.decisions;
  // An archive keeps decisions of items that were deleted later.
  const differences = isWhole ? compareLines(stated, lines) : comparePurposes(stated, lines, archived.length > 0);
  const gone = isWhole ? 0 : deleted;
  return {
    decisions: counted,
    deleted: gone,
    missing: Math.max(0, statement.decisions - counted - gone),
    differences: [...differences, ...compareSums(statement, stated), ...compareAmounts(statement, tallied)],
  };
}

/** The ids as they were exported, by place. A text that is no id changes every hash. */
function exportedIds(sorted: readonly Exported[]): TallyIds {
  const encoder = new TextEncoder();
  const idAt = (seq: number): string => (sorted[seq] as Exported).id;
  return {
    idOf: ({ seq }) => idAt(seq),
    frame: () => {},
    write(target, offset, _at, seq) {
      const bytes = encoder.encode(idAt(seq));
      if (bytes.length === DECISION_ID_LENGTH) target.set(bytes, offset);
      else target.fill(0, offset, offset + DECISION_ID_LENGTH);
    },
  };
}

/** Prices the lines again: those of the statement itself, whose units are compared before. */
function compareAmounts({ lines, terms, total }: Statement, { uncounted }: Tallied): Difference[] {
  const { currency } = terms;
  const stated = lines.filter(({ kind }) => kind !== 'correction');
  const usage = stated.flatMap(({ kind, tier, units, ...line }) =>
    kind === 'usage' ? [{ ...line, tier: (tier ?? 1) - 1, units: units ?? 0 } as TalliedLine] : [],
  );
  const { lines: priced, ownMicros } = billOf(terms, { units: 0, decisions: 0, lines: usage, uncounted });
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
function compareSums({ units, decisions }: Statement, stated: readonly Line[]): Difference[] {
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
): Difference[] {
  return fields.flatMap((field): Difference[] => {
    const [one, other] = [stated?.[field] ?? null, counted?.[field] ?? null];
    return one === other ? [] : [{ line, field, stated: one, counted: other }];
  });
}

const amountName = (line: Pick<Line, 'kind' | 'purpose' | 'tier'>): string =>
  line.kind === 'usage' ? nameOf(line) : line.kind;

function ofStatement({ licenseId, from, to }: Statement, line: string): Exported[] {
  let one: Exported;
  try {
    one = JSON.parse(line) as Exported;
  } catch {
    throw misused('The decisions are not NDJSON; export them with `postern decisions export`.');
  }
  const counts = one.allowed && one.enforced !== false && one.licenseId === licenseId;
  return counts && one.created >= from && one.created < to ? [one] : [];
}

const nameOf = ({ purpose, tier }: { purpose: string | null; tier: number | null }): string =>
  `${purpose ?? 'no purpose'}, tier ${tier}`;

const FIELDS = ['units', 'decisions', 'firstDecisionId', 'lastDecisionId', 'sha256'] as const;

function compareLines(stated: readonly Line[], counted: readonly TalliedLine[]): Difference[] {
  const lines = new Map(counted.map((line) => [nameOf({ ...line, tier: line.tier + 1 }), line]));
  const names = new Set([...stated.map(nameOf), ...lines.keys()]);
  return [...names].flatMap((name) => {
    const said = stated.find((line) => nameOf(line) === name);
    const found = lines.get(name);
    return compareFields(name, FIELDS, said, found);
  });
}

/** Without the decisions of deleted items, tiers and digests cannot be counted again: the numbers must still add up. */
function comparePurposes(stated: readonly Line[], counted: readonly TalliedLine[], mayHaveMore: boolean): Difference[] {
  const purposes = new Set([...stated, ...counted].map(({ purpose }) => purpose));
  return [...purposes].flatMap((purpose): Difference[] => {
    const said = stated.filter((line) => line.purpose === purpose);
    const all = said.reduce((sum, line) => sum + (line.decisions ?? 0), 0);
    const left = said.reduce((sum, line) => sum + (line.decisions ?? 0) - (line.deleted?.decisions ?? 0), 0);
    const found = counted.reduce((sum, line) => sum + (line.purpose === purpose ? line.decisions : 0), 0);
    const name = purpose ?? 'no purpose';
    const agrees = mayHaveMore ? left <= found && found <= all : left === found;
    return agrees ? [] : [{ line: name, field: 'decisions of existing items', stated: left, counted: found }];
  });
}

/** The lines of a statement with their amounts, pure. */
import { formatAmount, toJsonMicros } from '../../rules/terms/money.ts';
import type { Share } from '../../rules/terms/periods.ts';
import { computeFees, linePrice } from '../../rules/terms/price.ts';
import type { Terms, Tier } from '../../rules/terms/terms.ts';
import type { Hashed, TalliedLine } from './tallied.ts';

export const LINE_KINDS = ['usage', 'true_up', 'flat', 'correction'] as const;

/** An amount as a decimal and in micros; micros are null beyond 2^53. */
export interface Amount {
  amount: string;
  amountMicros: number | null;
}

export interface StatementLine extends Amount {
  kind: (typeof LINE_KINDS)[number];
  purpose: string | null;
  /** From 1; null for lines that are no usage. */
  tier: number | null;
  units: number | null;
  unitPriceMicros: number | null;
  decisions: number | null;
  firstDecisionId: string | null;
  lastDecisionId: string | null;
  sha256: string | null;
  /** On usage of final statements. */
  root?: string;
  deleted: Hashed | null;
  /** The statement that a correction corrects. */
  statementId: string | null;
}

/** The difference between a final statement and its period as it is counted now. */
export interface Correction {
  statementId: string;
  units: number;
  decisions: number;
  micros: bigint;
}

export interface Bill {
  lines: StatementLine[];
  /** Without corrections. */
  ownMicros: bigint;
  totalMicros: bigint;
}

export const toAmount = (micros: bigint, currency: string): Amount => ({
  amount: formatAmount(micros, currency),
  amountMicros: toJsonMicros(micros),
});

const EMPTY = {
  purpose: null,
  tier: null,
  units: null,
  unitPriceMicros: null,
  decisions: null,
  firstDecisionId: null,
  lastDecisionId: null,
  sha256: null,
  deleted: null,
  statementId: null,
};

/** Units of a tier, counted or supposed. */
type BilledLine = Pick<TalliedLine, 'tier' | 'units'> & Partial<TalliedLine>;

/** `share`: the days of a period that is not whole. */
export function computeBill(
  terms: Terms,
  tallied: { lines: readonly BilledLine[] },
  { share = null, corrections = [] }: { share?: Share | null; corrections?: readonly Correction[] } = {},
): Bill {
  const { currency } = terms;
  let priced = 0n;
  const lines: StatementLine[] = tallied.lines.map(({ tier, ...line }) => {
    const { unitPriceMicros } = terms.tiers[tier] as Tier;
    const micros = linePrice(line.units, unitPriceMicros, currency);
    priced += micros;
    return { kind: 'usage', ...EMPTY, ...line, tier: tier + 1, unitPriceMicros, ...toAmount(micros, currency) };
  });
  const { flat, trueUp } = computeFees(terms, priced, share);
  if (trueUp > 0n) lines.push({ kind: 'true_up', ...EMPTY, ...toAmount(trueUp, currency) });
  if (flat > 0n) lines.push({ kind: 'flat', ...EMPTY, ...toAmount(flat, currency) });
  const ownMicros = priced + flat + trueUp;
  let totalMicros = ownMicros;
  for (const { micros, ...correction } of corrections) {
    lines.push({ kind: 'correction', ...EMPTY, ...correction, ...toAmount(micros, currency) });
    totalMicros += micros;
  }
  return { lines, ownMicros, totalMicros };
}

/** A decision as the columns read it. */
import { findProgram } from '../../../rules/crawlers/program.ts';
import type { Context, Reducible } from '../../ledger/inputs.ts';

/** The inputs of a retired decision. */
export const NO_INPUTS = '{"reduced":["context"]}';

/** An array: half the time of an object. */
export type DecisionRow = [
  seq: number,
  at: number,
  contentNo: number,
  requesterId: string | null,
  policyNo: number,
  reason: number,
  purpose: string | null,
  permission: string | null,
  collectionId: string | null,
  crawler: string | null,
  licenseId: string | null,
  claimed: string | null,
  /** 0: not verified. */
  verified: number,
  enforced: number,
  policyVersion: number,
  /** -1: the default action. */
  ruleIndex: number,
  wanted: string | null,
  /** The decision of the policy's candidate, see decisions/ledger/codes. */
  candidate: string | null,
  url: string | null,
  file: string | null,
  /** JSON, see decisions/ledger/inputs. */
  inputs: string | null,
];

export function withoutInputs(row: DecisionRow): DecisionRow {
  const kept = [...row] as DecisionRow;
  kept.splice(-1, 1, NO_INPUTS);
  return kept;
}

/** The inputs of a decision that show its program and its address. */
export interface SentBy {
  context?: Pick<Context, 'userAgent' | 'ip'> | null;
  reduced?: readonly Reducible[];
}

/** Returns the program of a decision; undefined: its user agent was not kept. */
export function keptProgram({ context, reduced = [] }: SentBy): string | undefined {
  if (reduced.includes('context') || reduced.includes('context.userAgent')) return undefined;
  return findProgram(context?.userAgent);
}

const PURPOSE = 6;
const PERMISSION = 7;
const INPUTS = 20;

/** Older versions recorded purpose and permission among the inputs; most inputs have neither. */
export function withOlderInputs(row: DecisionRow): DecisionRow {
  const inputs = row[INPUTS];
  const isOlder =
    inputs !== null &&
    ((row[PURPOSE] === null && inputs.includes('"purpose":')) ||
      (row[PERMISSION] === null && inputs.includes('"permission":')));
  if (!isOlder) return row;
  const { purpose, permission } = JSON.parse(inputs) as { purpose?: string; permission?: string };
  row[PURPOSE] ??= purpose ?? null;
  row[PERMISSION] ??= permission ?? null;
  return row;
}

/** Counts a statement again from exported decisions, and compares. */
import type { Answered } from '../../../client/src/types.ts';
import { type TalliedLine, Tally } from '../../statements/tally.ts';
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
  differences: Difference[];
}

interface Exported {
  id: string;
  allowed: boolean;
  enforced?: boolean;
  licenseId: string | null;
  contentId: string | null;
  url?: string | null;
  purpose: string | null;
  created: string;
}

/** `decisions`: NDJSON, in any order; those of others are left out. */
export async function findDifferences(statement: Statement, decisions: AsyncIterable<Uint8Array>): Promise<Verified> {
  const own: Exported[] = [];
  for await (const lines of textLines(decisions)) {
    for (const line of lines) if (line.trim() !== '') own.push(...ofStatement(statement, line));
  }
  const tally = new Tally(statement.terms);
  for (const one of own.toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
    tally.add({ id: one.id, purpose: one.purpose, content: one.contentId ?? one.url ?? '', deleted: false });
  }
  const { lines, decisions: counted } = tally.result();
  const stated = statement.lines.filter(({ kind }) => kind === 'usage');
  const deleted = stated.reduce((sum, line) => sum + (line.deleted?.decisions ?? 0), 0);
  const differences = deleted === 0 ? compareLines(stated, lines) : comparePurposes(stated, lines);
  return { decisions: counted, deleted, differences };
}

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
    return FIELDS.flatMap((field): Difference[] => {
      const [one, other] = [said?.[field] ?? null, found?.[field] ?? null];
      return one === other ? [] : [{ line: name, field, stated: one, counted: other }];
    });
  });
}

/** Without the decisions of deleted items, tiers and digests cannot be counted again: the numbers must still add up. */
function comparePurposes(stated: readonly Line[], counted: readonly TalliedLine[]): Difference[] {
  const purposes = new Set([...stated, ...counted].map(({ purpose }) => purpose));
  return [...purposes].flatMap((purpose): Difference[] => {
    const said = stated.filter((line) => line.purpose === purpose);
    const left = said.reduce((sum, line) => sum + (line.decisions ?? 0) - (line.deleted?.decisions ?? 0), 0);
    const found = counted.reduce((sum, line) => sum + (line.purpose === purpose ? line.decisions : 0), 0);
    const name = purpose ?? 'no purpose';
    return left === found ? [] : [{ line: name, field: 'decisions of existing items', stated: left, counted: found }];
  });
}

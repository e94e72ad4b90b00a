/** Counts a statement again from exported decisions, and compares. */
import type { Answered } from '../../../client/src/types.ts';
import { DECISION_ID_LENGTH, DECISION_LINE } from '../../decisions/ledger/decision-ids.ts';
import { invocation } from '../../lib/invocation.ts';
import type { TallyIds } from '../../reports/statements/id-hash.ts';
import type { Tallied } from '../../reports/statements/tallied.ts';
import { Tally } from '../../reports/statements/tally.ts';
import { countsPurpose } from '../../rules/terms/terms.ts';
import { textLines } from '../import/text-lines.ts';
import { misused } from '../outcome.ts';
import {
  compareAmounts,
  compareDeleted,
  compareLines,
  comparePurposes,
  compareSums,
  compareUncounted,
  lineName,
  type StatementDifference,
} from './compare.ts';

type Statement = Answered<'getStatement'>;

/** Decisions of a line that no log has, by their ids alone. */
export interface UnlistedDecisions {
  line: string;
  decisions: number;
  /** Over their sorted ids, each followed by a line feed. */
  sha256: string;
  /** Decisions of the line that a log or an archive has. */
  others: number;
}

export interface Verified {
  /** Decisions that were counted again from the log or an archive. */
  decisions: number;
  /** Decisions that were counted again from the record of deletions and retention: only their ids are left. */
  recorded: { deleted: number; retention: number; lines: UnlistedDecisions[] };
  /** Decisions of deleted items that are in no log and no record. */
  deleted: number;
  /** Decisions that the statement counts, and that are nowhere. */
  missing: number;
  differences: StatementDifference[];
}

/** A decision, as the log exports it, or a statement its evidence. */
export interface Exported {
  id: string;
  /** The id as partners see it; evidence has one id. */
  publicId?: string;
  allowed: boolean;
  enforced?: boolean;
  licenseId: string | null;
  contentId: string | null;
  url?: string | null;
  /** The URL that stands for all spellings of its file, if it is another one. */
  file?: string | null;
  purpose: string | null;
  created: string;
  /** Evidence has these two. */
  removed?: 'deleted' | 'retention' | null;
  unit?: boolean;
}

export interface DecisionSources {
  /** NDJSON, in any order; decisions of other statements are left out. */
  decisions: AsyncIterable<Uint8Array>;
  /** Decisions of the statement that are in an archive. */
  archived?: readonly Exported[];
  /** The decisions of the statement, as the service answers them in NDJSON. */
  evidence?: AsyncIterable<Uint8Array> | undefined;
}

interface Known extends Exported {
  /** Neither a log nor an archive has it. */
  recordOnly: boolean;
}

export async function findDifferences(
  statement: Statement,
  { decisions, archived = [], evidence }: DecisionSources,
): Promise<Verified> {
  const sorted = [...(await readAll(statement, { decisions, archived, evidence })).values()].toSorted((a, b) =>
    a.id < b.id ? -1 : 1,
  );
  const tallied = tally(statement, sorted, ({ removed }) => removed === 'deleted');
  const { lines, decisions: counted } = tallied;
  const stated = statement.lines.filter(({ kind }) => kind === 'usage');
  const deleted = stated.reduce((sum, line) => sum + (line.deleted?.decisions ?? 0), 0);
  const hasEvidence = sorted.some(({ removed }) => removed !== undefined);
  const isWhole = deleted === 0 || counted === statement.decisions;
  // An archive keeps decisions of items that were deleted later.
  const differences = isWhole ? compareLines(stated, lines) : comparePurposes(stated, lines, archived.length > 0);
  const gone = isWhole ? 0 : deleted;
  const recorded = tallyRecorded(statement, sorted);
  return {
    decisions: counted - recorded.lines.reduce((sum, line) => sum + line.decisions, 0),
    recorded,
    deleted: gone,
    missing: Math.max(0, statement.decisions - counted - gone),
    differences: [
      ...differences,
      ...(hasEvidence ? compareDeleted(statement, stated, lines) : []),
      ...(isWhole ? compareUncounted(statement, tallied) : []),
      ...compareSums(statement, stated),
      ...compareAmounts(statement),
    ],
  };
}

/** Returns the decisions of all sources, each once: what a log or an archive says is taken before evidence. */
async function readAll(
  statement: Statement,
  { decisions, archived, evidence }: Required<Omit<DecisionSources, 'evidence'>> & Pick<DecisionSources, 'evidence'>,
): Promise<Map<string, Known>> {
  const own = new Map<string, Known>();
  for (const one of archived) {
    const { id } = spelled(statement, one);
    if (one.publicId === undefined && !isOfLog(statement, one)) throw misused(OLD_FILES);
    own.set(id, { ...one, id, recordOnly: false });
  }
  for (const source of [decisions, ...(evidence === undefined ? [] : [evidence])]) {
    let no = 0;
    for await (const lines of textLines(source)) {
      for (const line of lines) {
        no += 1;
        if (line.trim() === '') continue;
        const one = spelled(statement, readDecision(line, no));
        if (belongsTo(statement, one)) own.set(one.id, joined(own.get(one.id), one));
      }
    }
  }
  return own;
}

/** Where the number of a ledger is in the ids that name it. */
const LEDGER = [14, 20] as const;
const OLD_FILES =
  'The archive was written by an earlier version: its files lack the ids that statements have. Leave out --archive: the service reads the files with the ids.';

/**
 * Returns the decision with the id that the statement has for it: as partners see it. A statement that became final
 * before there were such ids has those of the log.
 */
const spelled = (statement: Statement, one: Exported): Exported =>
  one.publicId === undefined || (firstId(statement) !== null && isOfLog(statement, one))
    ? one
    : { ...one, id: one.publicId };

const firstId = ({ lines }: Statement): string | null =>
  lines.find(({ firstDecisionId }) => firstDecisionId !== null)?.firstDecisionId ?? null;

/** Returns whether a statement has the ids of the log, of which this is one, or none. */
function isOfLog(statement: Statement, { id }: Exported): boolean {
  const first = firstId(statement);
  return first === null || first.slice(...LEDGER) === id.slice(...LEDGER);
}

function joined(known: Known | undefined, one: Exported): Known {
  const isRecord = (one.removed ?? null) !== null;
  if (known === undefined) return { ...one, recordOnly: isRecord };
  const { removed = one.removed, unit = one.unit } = known;
  const base = isRecord || !known.recordOnly ? known : { ...one, recordOnly: false };
  return { ...base, ...(removed === undefined ? {} : { removed }), ...(unit === undefined ? {} : { unit }) };
}

function tally({ terms, lines }: Statement, sorted: readonly Known[], isApart: (one: Known) => boolean): Tallied {
  const trees = lines.some(({ root }) => root !== undefined);
  const counting = new Tally(terms, exportedIds(sorted), { trees });
  let seen = '';
  for (const [seq, one] of sorted.entries()) {
    const { purpose, contentId, url, file, unit, recordOnly } = one;
    // Nothing is left of a deleted item but whether it was counted before.
    const content = contentId ?? file ?? url ?? (recordOnly && unit === false ? seen : one.id);
    counting.add({ at: 0, seq, purpose, content, deleted: isApart(one) });
    if (countsPurpose(terms, purpose)) seen = content;
  }
  return counting.result();
}

function tallyRecorded(statement: Statement, sorted: readonly Known[]): Verified['recorded'] {
  const { lines } = tally(statement, sorted, ({ recordOnly }) => recordOnly);
  const counted = sorted.filter(({ recordOnly, purpose }) => recordOnly && countsPurpose(statement.terms, purpose));
  const deleted = counted.filter(({ removed }) => removed === 'deleted').length;
  return {
    deleted,
    retention: counted.length - deleted,
    lines: lines.flatMap((line) =>
      line.deleted === null
        ? []
        : {
            line: lineName({ ...line, tier: line.tier + 1 }),
            ...line.deleted,
            others: line.decisions - line.deleted.decisions,
          },
    ),
  };
}

/** The ids as they were exported, by place. A text that is no id changes every hash. */
function exportedIds(sorted: readonly Exported[]): TallyIds {
  const idAt = (seq: number): string => (sorted[seq] as Exported).id;
  return {
    idOf: ({ seq }) => idAt(seq),
    write(target, { seq }) {
      for (let i = 0, offset = 0; i < seq.length; i++, offset += DECISION_LINE) {
        const bytes = Buffer.from(idAt(seq[i] as number));
        if (bytes.length === DECISION_ID_LENGTH) target.set(bytes, offset);
        else target.fill(0, offset, offset + DECISION_ID_LENGTH);
      }
    },
  };
}

function readDecision(line: string, no: number): Exported {
  try {
    const one = JSON.parse(line) as Exported;
    // `null` throws here too.
    if (NEEDED.every((field) => one[field] !== undefined)) return one;
  } catch {
    // Named below.
  }
  throw misused(
    `Line ${no} of the decisions is not a whole decision. Save them again: ${invocation()} statements show ID --format ndjson --output FILE.`,
  );
}

/** In every form of the log and of evidence. */
const NEEDED = ['id', 'allowed', 'licenseId', 'contentId', 'purpose', 'created'] as const;

const belongsTo = ({ licenseId, from, to }: Statement, { allowed, enforced, created, ...one }: Exported): boolean =>
  allowed && enforced !== false && one.licenseId === licenseId && created >= from && created < to;

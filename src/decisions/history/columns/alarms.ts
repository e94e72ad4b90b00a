/** Finds what changed within a day: names that were falsely claimed, and visitors that are denied far more often. */
import { readMost } from './groups.ts';
import { answerBounds } from './questions.ts';
import type { SqlReader } from './reader.ts';
import { integer, select } from './sql.ts';
import { type CountedWho, toVisitor } from './who.ts';

const DAY_MS = 86_400_000;
/** Denials are compared with the days before the last one. */
const BEFORE_MS = 7 * DAY_MS;
/** Fewer denials are no alarm, nor is less than this many times as many as on a usual day. */
const DENIED_MIN = 20;
const TIMES = 3;

export interface AlarmsQuery {
  /** Epoch ms: the end of the last day, which has it and not the time a day before. Later decisions are in no day. */
  now: number;
  /** Length of each list. */
  limit: number;
}

export interface Alarms {
  spoofed: { claimed: string; checks: number; first: number }[];
  /** `usual`: denials on a day before. */
  denials: { visitor: CountedWho; denied: number; usual: number }[];
}

export function answerAlarms(reader: SqlReader, query: AlarmsQuery): Promise<Alarms> {
  return reader.inSnapshot(async () => ({
    spoofed: await readSpoofed(reader, query),
    denials: await readDenials(reader, query),
  }));
}

async function readSpoofed(reader: SqlReader, { now, limit }: AlarmsQuery): Promise<Alarms['spoofed']> {
  const from = await select(reader, { ...lastDay(now), spoofed: true });
  const counts = { checks: 'count(*)', first: 'min(decided_at)' };
  const { groups } = await readMost(reader, { from, by: ['claimed'], counts }, limit);
  return groups.map(({ ids: [claimed = ''], checks, first }) => ({ claimed: claimed as string, checks, first }));
}

const lastDay = (now: number): { from: number; to: number } => ({ from: now + 1 - DAY_MS, to: now + 1 });

/** None in the first days of a ledger: there is nothing to compare with. */
async function readDenials(reader: SqlReader, { now, limit }: AlarmsQuery): Promise<Alarms['denials']> {
  const { from: today, to } = lastDay(now);
  const bounds = await answerBounds(reader);
  const knownMs = Math.min(BEFORE_MS, today - (bounds?.first ?? now));
  if (knownMs < DAY_MS) return [];
  const from = await select(reader, { from: today - knownMs, to, allowed: false, enforced: true });
  const isToday = `decided_at >= ${integer(today)}`;
  const grouping = {
    from,
    by: ['who'] as const,
    counts: {
      denied: `count(*) filter (where ${isToday})`,
      // Rounded: the function of that name takes a half to the even number in ClickHouse.
      usual: `floor(count(*) filter (where not (${isToday})) * ${DAY_MS} / ${integer(knownMs)} + 0.5)`,
      earlier: `count(*) filter (where not (${isToday}))`,
    },
    where: `denied >= ${DENIED_MIN} and denied * ${integer(knownMs)} > ${TIMES} * earlier * ${DAY_MS}`,
  };
  const { groups } = await readMost(reader, grouping, limit);
  return groups.map(({ ids: [id = null], denied, usual }) => ({ visitor: toVisitor(id), denied, usual }));
}

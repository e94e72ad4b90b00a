/**
 * The programs of decisions. Each decision has the number of its program, which follows from the name: so all are
 * counted exactly, however many there are. Promise: the names are those of the programs that are among the thousand
 * with most requests on some day (UTC). That follows from the decisions alone, and not from their order: a flood of
 * made-up names hides none that asks often, and names beyond the thousand are `other`.
 * Why a name is at hand when it is needed: a program's last request brings it, and then no other program of that day
 * will have fewer requests than now. So if it is among the thousand at the end of the day, it is among them then.
 */
import { createHash } from 'node:crypto';
import { Lru, Recent } from '../../../lib/cache/lru.ts';
import { BROWSERS, NO_USER_AGENT, OTHER_PROGRAMS } from '../../../rules/crawlers/program.ts';
import { type DecisionRow, keptProgram, type SentBy } from './decision-row.ts';
import { openAddresses, type ProgramStore } from './program-addresses.ts';

/** Names of programs on one day. */
const NAMES_A_DAY = 1_000;

/** Numbers that no program has. */
export const NOT_KEPT = 0;
const FIXED: ReadonlyMap<string, number> = new Map([
  [BROWSERS, 1],
  [NO_USER_AGENT, 2],
  [OTHER_PROGRAMS, 3],
]);
/** Programs have numbers above it. */
export const FIXED_MAX = 3;

/** The rows of the fixed numbers, which have no day. */
export const FIXED_NAMES_LIST = [...FIXED];
export const FIXED_NAMES = FIXED_NAMES_LIST.map(([name, number]) => `(${number}, '${name}', -1)`).join(', ');

/** Programs beyond the names. */
export const OTHER = FIXED.get(OTHER_PROGRAMS) as number;

/** The number of a program if it has a name, as SQL; the others are one. */
export const namedSql = (program: string): string =>
  `case when ${program} <= ${FIXED_MAX} or ${program} in (select number from programs) then ${program} else ${OTHER} end`;

const DAY_MS = 86_400_000;
export const QUARTERS_A_DAY = 96;
const REQUESTER = 3;
const CRAWLER = 9;
const INPUTS = 20;
const HASH_BYTES = 6;

export interface Programs {
  /** Returns the number of a decision's program, and notes its name and its address. */
  numberOf(row: DecisionRow): number;
  /** Returns the number of a program; undefined: it was not kept. */
  toNumber(program: string | undefined): number;
  /** Notes a program above the fixed ones. `address`: of a decision without a requester and a crawler. */
  note(number: number, seen: { program: string; at: number; address: string | undefined }): void;
  /** Names the programs of the noted decisions, which are written; call it before the commit. */
  name(): Promise<void>;
  /** Drops the notes, at a rollback. */
  abandon(): void;
}

export function openPrograms(store: ProgramStore): Programs {
  const numbers = new Lru<string, number>(10_000, undefined, new Recent());
  const addresses = openAddresses(store);
  /** By day, then by number. */
  let noted = new Map<number, Map<number, string>>();

  function toNumber(program: string | undefined): number {
    if (program === undefined) return NOT_KEPT;
    const before = FIXED.get(program) ?? numbers.get(program);
    if (before !== undefined) return before;
    // Below 2^48, so that doubles hold it; beyond the fixed numbers.
    const number = createHash('sha256').update(program).digest().readUIntBE(0, HASH_BYTES) + FIXED_MAX + 1;
    numbers.set(program, number);
    return number;
  }

  const note: Programs['note'] = (number, { program, at, address }) => {
    const day = Math.floor(at / DAY_MS);
    const names = noted.get(day);
    if (names === undefined) noted.set(day, new Map([[number, program]]));
    else names.set(number, program);
    if (address !== undefined) addresses.note(number, address, day);
  };

  return {
    numberOf(row) {
      const sent = JSON.parse(row[INPUTS] ?? '{}') as SentBy;
      const program = keptProgram(sent);
      const number = toNumber(program);
      if (program === undefined || number <= FIXED_MAX) return number;
      const isNamed = row[REQUESTER] !== null || row[CRAWLER] !== null;
      note(number, { program, at: row[1], address: isNamed ? undefined : sent.context?.ip });
      return number;
    },
    toNumber,
    note,
    async name() {
      const days = [...noted].toSorted(([a], [b]) => a - b);
      noted = new Map();
      for (const [day, names] of days) await nameDay(store, day, names);
      await addresses.write();
    },
    abandon() {
      noted = new Map();
      addresses.abandon();
    },
  };
}

async function nameDay(store: ProgramStore, day: number, names: ReadonlyMap<number, string>): Promise<void> {
  const known = await store.named([...names.keys()]);
  const fresh = [...names].filter(([number]) => !known.has(number));
  if (fresh.length === 0) return;
  const frequent = await store.frequent(day, NAMES_A_DAY);
  const isFrequent = new Set(frequent);
  await store.name(
    day,
    frequent,
    fresh.filter(([number]) => isFrequent.has(number)),
  );
}

/**
 * Counts the addresses of each program by day, without keeping one: a sketch holds hashes under a salt. The salt is in
 * memory alone and is dropped when the next day begins. After a restart within a day, the day has a second sketch.
 * Reports have the largest number of addresses in a sketch.
 */
import { randomBytes } from 'node:crypto';
import { type Mark, Sketch, toMark } from '../../../lib/sketch.ts';

/** Where the names of programs and the sketches of their addresses are kept. */
export interface ProgramStore {
  /** Returns those of the numbers that have a name. */
  named(numbers: readonly number[]): Promise<ReadonlySet<number>>;
  /** Returns the numbers with most requests on a day, then the lowest, of those above the fixed ones. */
  frequent(day: number, limit: number): Promise<readonly number[]>;
  /** Leaves a day the names of these numbers, and gives it names of more. Others lose their sketches too. */
  name(day: number, kept: readonly number[], fresh: readonly [number: number, name: string][]): Promise<void>;
  /** Returns a number for sketches that have none yet. */
  nextLife(): Promise<number>;
  putSketches(life: number, day: number, sketches: readonly [program: number, text: string][]): Promise<void>;
}

/** A day has half as many names. */
const SKETCHES_MAX = 2_000;

/** The sketches of one day under one salt. */
interface Life {
  day: number;
  no: number | undefined;
  salt: string;
  sketches: Map<number, Sketch>;
  noted: [program: number, mark: Mark][];
}

export interface ProgramAddresses {
  note(program: number, address: string, day: number): void;
  /** Writes the sketches of the noted addresses of programs that have a name; call it before the commit. */
  write(): Promise<void>;
  abandon(): void;
}

export function openAddresses(store: ProgramStore): ProgramAddresses {
  /** The newest last: earlier ones are of this step alone. */
  let lives: Life[] = [];

  function lifeOn(day: number): Life {
    const known = lives.find((one) => one.day === day);
    if (known !== undefined) return known;
    const life = { day, no: undefined, salt: randomBytes(16).toString('hex'), sketches: new Map(), noted: [] };
    lives.push(life);
    return life;
  }

  return {
    note(program, address, day) {
      const life = lifeOn(day);
      life.noted.push([program, toMark(address, life.salt)]);
    },
    async write() {
      const noting = lives.filter(({ noted }) => noted.length > 0);
      for (const life of noting) {
        const named = await store.named([
          ...new Set([...life.sketches.keys(), ...life.noted.map(([program]) => program)]),
        ]);
        await writeLife(store, life, named);
      }
      const newest = Math.max(...lives.map(({ day }) => day));
      lives = lives.filter(({ day }) => day === newest);
    },
    abandon() {
      lives = [];
    },
  };
}

async function writeLife(store: ProgramStore, life: Life, named: ReadonlySet<number>): Promise<void> {
  const { sketches, day } = life;
  const changed = new Set<number>();
  for (const [program, mark] of life.noted) {
    if (!named.has(program)) continue;
    const sketch = sketches.get(program) ?? new Sketch();
    sketches.set(program, sketch);
    if (sketch.add(mark)) changed.add(program);
  }
  life.noted = [];
  // Names that others took the place of.
  if (sketches.size > SKETCHES_MAX) {
    for (const program of sketches.keys()) if (!named.has(program)) sketches.delete(program);
  }
  if (changed.size === 0) return;
  life.no ??= await store.nextLife();
  await store.putSketches(
    life.no,
    day,
    [...changed].map((program) => [program, sketches.get(program)?.toText() ?? '']),
  );
}

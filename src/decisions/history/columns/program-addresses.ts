/**
 * Counts the addresses of each program by day, without keeping one: a sketch holds hashes under a salt. The salt is in
 * memory alone and is dropped when the next day begins. After a restart within a day, the day has a second sketch.
 * Reports have the largest number of addresses in a sketch.
 */
import { randomBytes } from 'node:crypto';
import { BIGINT, type DuckDBConnection, LIST, listValue, VARCHAR } from '@duckdb/node-api';
import { type Mark, Sketch, toMark } from '../../../lib/sketch.ts';
import { integer, readColumns } from './sql.ts';

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

export function openAddresses(writer: DuckDBConnection): ProgramAddresses {
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
      const named = noting.length === 0 ? new Set<number>() : await readNamed(writer);
      for (const life of noting) await writeLife(writer, life, named);
      const newest = Math.max(...lives.map(({ day }) => day));
      lives = lives.filter(({ day }) => day === newest);
    },
    abandon() {
      lives = [];
    },
  };
}

async function readNamed(writer: DuckDBConnection): Promise<ReadonlySet<number>> {
  const [numbers = []] = await readColumns(writer, 'select number::double from programs');
  return new Set(numbers as number[]);
}

async function writeLife(writer: DuckDBConnection, life: Life, named: ReadonlySet<number>): Promise<void> {
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
  if (life.no === undefined) {
    const [next] = await readColumns(writer, 'select coalesce(max(life), 0)::double + 1 from program_addresses');
    life.no = next?.[0] as number;
  }
  const numbers = listValue([...changed].map(BigInt));
  await writer.run(
    `delete from program_addresses where life = ${integer(life.no)} and number in (select unnest($1))`,
    [numbers],
    [LIST(BIGINT)],
  );
  await writer.run(
    `insert into program_addresses select unnest($1), ${integer(day)}, ${integer(life.no)}, unnest($2)`,
    [numbers, listValue([...changed].map((program) => sketches.get(program)?.toText() ?? ''))],
    [LIST(BIGINT), LIST(VARCHAR)],
  );
}

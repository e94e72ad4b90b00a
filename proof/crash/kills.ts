/**
 * The service is killed at random while clients work with it, and restarted on the same data. After every start, all
 * acknowledged work is compared with the store.
 */
import { existsSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { launch, launched, newTestKey, type Running, temporaryFolder } from '../../kit/launch.ts';
import { type Random, seeded } from '../../kit/random.ts';
import { Book } from './book.ts';
import { type Found, Verifier } from './verify.ts';
import { type Round, runClient, setRound, setStage } from './workload.ts';

export interface KillOptions {
  kills: number;
  seed: number;
  clients?: number;
  /** Receives progress now and then. */
  tell?: (line: string) => void;
}

export interface KillFigures extends Found {
  kills: number;
  answered: number;
  startKills: number;
  terminated: number;
  columnsHarmed: number;
}

const LOAD_MAX_MS = 500;
const START_MAX_MS = 700;
const FIRST_STARTS_MAX = 3;

const after = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

export async function runKills({ kills, seed, clients = 16, tell = () => {} }: KillOptions): Promise<KillFigures> {
  const random = seeded(seed);
  using folder = temporaryFolder();
  const key = newTestKey();
  const start = (): Promise<Running> => launched({ dataDir: folder.path, key });
  /** Killed before or just after it is ready. */
  const killStarting = async (): Promise<void> => {
    const starting = launch({ dataDir: folder.path, key });
    await after(random.int(0, START_MAX_MS));
    await starting.end('SIGKILL');
  };

  const figures = { kills: 0, startKills: 0, terminated: 0, columnsHarmed: 0 };
  let service: Running | undefined;
  try {
    for (; figures.kills < Math.min(FIRST_STARTS_MAX, Math.floor(kills / 6)); figures.kills++) {
      await killStarting();
      figures.startKills++;
    }
    service = await start();
    const stage = await setStage(service);
    const book = new Book();
    const verifier = new Verifier(book, stage, folder.path);
    while (figures.kills < kills) {
      const round = await setRound(service, stage, figures.kills);
      const signal = random.chance(0.1) ? 'SIGTERM' : 'SIGKILL';
      await loadUntilKilled(service, book, random, round, clients, signal);
      figures.kills++;
      if (signal === 'SIGTERM') figures.terminated++;
      while (figures.kills < kills && random.chance(0.2)) {
        await killStarting();
        figures.kills++;
        figures.startKills++;
      }
      if (random.chance(0.4)) {
        harmColumns(join(folder.path, 'columns.duckdb'), random);
        figures.columnsHarmed++;
      }
      service = await start();
      await verifier.verify(service, random, round, figures.kills >= kills);
      if (figures.kills % 20 === 0) tell(`${figures.kills} kills, ${book.answered} requests answered`);
    }
    return { ...figures, ...verifier.found, answered: book.answered };
  } catch (error) {
    throw new Error(
      `with seed ${seed}, after ${figures.kills} kills: ${(error as Error).message}\n${service?.output().slice(-2000)}`,
      { cause: error },
    );
  } finally {
    await service?.end('SIGKILL');
  }
}

async function loadUntilKilled(
  service: Running,
  book: Book,
  random: Random,
  round: Round,
  clients: number,
  signal: 'SIGKILL' | 'SIGTERM',
): Promise<void> {
  let over = false;
  const running = Promise.all(
    Array.from({ length: clients }, (_, i) => {
      // Each its own numbers, so that the order in which answers come does not change what is asked.
      const own = seeded(random.int(0, 2 ** 31));
      return runClient(service, book, own, round, `${round.number}.${i}`, () => !over);
    }),
  );
  // Half of the kills at a random time, half at an answer, just after a commit.
  const moment = random.chance(0.5) ? after(random.int(0, LOAD_MAX_MS)) : answers(book, random.int(1, 400), () => over);
  await Promise.race([moment, running]);
  over = true;
  const end = await service.end(signal);
  await running;
  if (signal === 'SIGTERM' && end.code !== 0) throw new Error(`SIGTERM ended it with ${end.code ?? end.signal}`);
}

/** Settles in the turn in which so many more requests have been answered. */
async function answers(book: Book, count: number, over: () => boolean): Promise<void> {
  const goal = book.answered + count;
  while (book.answered < goal && !over()) await new Promise((resolve) => setImmediate(resolve));
}

/** The columns are a copy: damage to them loses nothing. */
function harmColumns(file: string, random: Random): void {
  const target = random.chance(0.3) ? `${file}.wal` : file;
  if (!existsSync(target)) return;
  const size = statSync(target).size;
  const harm = random.int(0, 4);
  if (harm === 0) rmSync(target);
  else if (harm === 1) truncateSync(target, random.int(0, size));
  else if (harm === 2) writeFileSync(target, Buffer.alloc(random.int(0, 100_000), random.int(0, 255)));
  else {
    const bytes = readFileSync(target);
    const at = random.int(0, Math.max(0, bytes.length - 1));
    if (harm === 3) bytes.fill(0, at, Math.min(bytes.length, at + 4096));
    else for (let i = 0; i < 50; i++) bytes[random.int(0, Math.max(0, bytes.length - 1))] = random.int(0, 255);
    writeFileSync(target, bytes);
  }
}

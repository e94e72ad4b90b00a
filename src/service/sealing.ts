/** Keeps the log that seals decisions, where the settings ask for it. */
import type { FastifyBaseLogger } from 'fastify';
import type { Signing } from '../decisions/history/sealed/keys.ts';
import { readNames } from '../decisions/history/sealed/publish.ts';
import { type SealingDeps, startSealing } from '../decisions/history/sealed/seal.ts';
import type { Config } from './config.ts';

interface Own {
  config: Config;
  logger: FastifyBaseLogger;
}

interface Base extends Pick<SealingDeps, 'db' | 'records' | 'ids'> {
  clock: { now(): number };
  lease(name: string): { held(): boolean };
}

/** Returns the names of the log; null without one. */
export async function keepLog(
  { config: { receipts, publicUrl }, logger }: Own,
  opened: AsyncDisposableStack,
  { db, records, ids, clock, lease }: Base,
): Promise<Signing | null> {
  if (receipts === 'off' || publicUrl === null) return null;
  // Without the scheme, as logs of C2SP are named.
  const signing = await readNames(db, `${publicUrl.replace(/^https?:\/\//, '')}/log`);
  const onProblem = (error: unknown): void =>
    logger.warn({ err: error }, 'decisions could not be sealed and will be later');
  const now = (): number => clock.now();
  opened.defer(startSealing({ db, records, ids, now, signing, isOurs: lease('log').held, onProblem }));
  return signing;
}

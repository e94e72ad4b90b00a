/** Keeps the log that seals decisions, where the settings ask for it. */
import type { FastifyBaseLogger } from 'fastify';
import type { Signing } from '../decisions/history/sealed/publish.ts';
import { type SealingDeps, startSealing } from '../decisions/history/sealed/seal.ts';
import type { Config } from './config.ts';

interface Own {
  config: Config;
  logger: FastifyBaseLogger;
}

/** Returns the name of the log, if there is one. */
export function keepLog(
  { config: { log, publicUrl }, logger }: Own,
  opened: AsyncDisposableStack,
  deps: Pick<SealingDeps, 'db' | 'records' | 'ledgerNo' | 'now' | 'isOurs'>,
): Signing | null {
  // Without the scheme, as logs of C2SP are named.
  const signing =
    log === 'off' || publicUrl === null ? null : { origin: `${publicUrl.replace(/^https?:\/\//, '')}/log` };
  const onProblem = (error: unknown): void =>
    logger.warn({ err: error }, 'decisions could not be sealed and will be later');
  opened.defer(startSealing({ ...deps, signing, onProblem }));
  return signing;
}

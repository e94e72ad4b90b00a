/** Starts what works on privacy: erasures, retention, and what PostgreSQL keeps of either. */
import type { FastifyBaseLogger } from 'fastify';
import type { Config } from '../config.ts';
import { type EraserDeps, startEraser } from './eraser.ts';
import { type RetentionDeps, startRetention } from './retention.ts';
import { startForgettingStatistics } from './statistics.ts';

interface PrivacyParts extends Pick<EraserDeps, 'db' | 'changes' | 'clock' | 'columns' | 'unregistered' | 'isOurs'> {
  ledger: Pick<RetentionDeps, 'now'>;
  clockWatch: { isSure: RetentionDeps['isTimeSure'] };
}

export function startPrivacy(
  { config, logger }: { config: Config; logger: FastifyBaseLogger },
  opened: AsyncDisposableStack,
  parts: PrivacyParts,
): void {
  const { db, clockWatch, ledger, isOurs } = parts;
  opened.defer(
    startEraser({
      ...parts,
      archiveDir: config.archiveDir,
      onProblem: (error) => logger.warn({ err: error }, 'an erasure failed and will be retried'),
    }),
  );
  opened.defer(
    startRetention({
      db,
      now: ledger.now,
      privacy: config.privacy,
      isOurs,
      isTimeSure: clockWatch.isSure,
      onProblem: (error) => logger.warn({ err: error }, 'retention failed and will be retried'),
    }),
  );
  opened.defer(
    startForgettingStatistics({
      db,
      isOurs,
      onProblem: (error) => logger.warn({ err: error }, 'tables could not be analysed and will be retried'),
    }),
  );
}

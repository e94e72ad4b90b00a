/** Keeps the log that seals decisions, and cosigns logs of others, where the settings ask for it. */
import type { FastifyBaseLogger } from 'fastify';
import { openSender } from '../api/webhooks/send.ts';
import type { Signing } from '../decisions/history/sealed/keys.ts';
import { readNames } from '../decisions/history/sealed/publish.ts';
import { type SealingDeps, startSealing } from '../decisions/history/sealed/seal.ts';
import { type Submitting, startSubmitting } from '../decisions/history/sealed/submit.ts';
import { openWitness, type Witness } from '../decisions/history/witness/cosigner.ts';
import { VERSION } from '../lib/version.ts';
import type { Config } from './config.ts';

/** Lines of cosignatures, which may be of several keys. */
const ANSWER_BYTES_MAX = 64 * 1024;

interface Own {
  config: Config;
  logger: FastifyBaseLogger;
}

interface Base extends Pick<SealingDeps, 'db' | 'records' | 'ids'> {
  clock: { now(): number };
  lease(name: string): { held(): boolean };
}

interface Kept {
  /** null: this node keeps no log. */
  signing: Signing | null;
  /** null: the log has no witnesses. */
  submitting: Submitting | null;
  /** null: it cosigns no log. */
  witness: Witness | null;
}

export async function keepLog(own: Own, opened: AsyncDisposableStack, base: Base): Promise<Kept> {
  const { receipts, publicUrl, logWitnesses, witnessLogs } = own.config;
  if (publicUrl === null) return { signing: null, submitting: null, witness: null };
  // Without the scheme, as logs and witnesses of C2SP are named.
  const name = publicUrl.replace(/^https?:\/\//, '');
  const { db, clock } = base;
  const witness =
    witnessLogs.size === 0 ? null : await openWitness({ db, clock, logs: witnessLogs }, `${name}/witness`);
  if (receipts === 'off') return { signing: null, submitting: null, witness };
  const signing = { ...(await readNames(db, `${name}/log`)), witnesses: logWitnesses };
  return { signing, submitting: startLog(own, opened, { ...base, signing }), witness };
}

function startLog(
  { config, logger }: Own,
  opened: AsyncDisposableStack,
  { db, records, ids, clock, lease, signing }: Base & { signing: Signing },
): Submitting | null {
  const now = (): number => clock.now();
  const isOurs = lease('log').held;
  const onProblem = (error: unknown): void =>
    logger.warn({ err: error }, 'decisions could not be sealed and will be later');
  opened.defer(startSealing({ db, records, ids, now, signing, isOurs, onProblem }));
  const { witnesses } = signing;
  if (witnesses.length === 0) return null;
  const submitting = startSubmitting({
    db,
    now,
    signing,
    witnesses,
    sender: openSender({ allowPrivate: config.webhookAllowPrivate, keptBytes: ANSWER_BYTES_MAX }),
    userAgent: `Postern/${VERSION}`,
    isOurs,
    onProblem: (error) => logger.warn({ err: error }, 'a checkpoint could not be sent to witnesses and will be later'),
    onFork: (report) => logger.error(report, 'a witness says that the log of receipts was forked'),
  });
  opened.defer(() => submitting.close());
  return submitting;
}

/** Sends real checks through the API, single and in batches, as fast as they are answered. */
import type { Postern } from '../client/src/client.ts';
import type { AccessDecision, Answered, Check } from '../client/src/types.ts';
import { dim, progress, say } from './terminal.ts';
import type { Traffic } from './traffic.ts';

const CONNECTIONS = 64;
const BATCH = 100;
/** Keeps the service busy while the next batch is prepared. */
const BATCHES_IN_FLIGHT = 4;

/** Checks as a busy site sends them: without a key that would make a retry safe. */
const ONCE = { idempotencyKey: false, retries: 0 } as const;

export interface Outcomes {
  recorded: number;
  allowed: number;
  /** Checks that failed, by error code. */
  errors: Map<string, number>;
}

/** Sends a third of the checks one by one, and the rest in batches. */
export async function sendChecks(
  postern: Postern,
  traffic: Traffic,
  checks: number,
  signal: AbortSignal,
): Promise<Outcomes> {
  const outcomes: Outcomes = { recorded: 0, allowed: 0, errors: new Map() };
  const add = (answer: AccessDecision | Answered<'checkAccessBatch'>['data'][number]): void => {
    if ('error' in answer) {
      const { code } = answer.error;
      outcomes.errors.set(code, (outcomes.errors.get(code) ?? 0) + 1);
      return;
    }
    if (answer.recorded) outcomes.recorded++;
    if (answer.allowed) outcomes.allowed++;
  };
  const next = (): Check => traffic.next(Date.now());

  const single = Math.ceil(checks / 3);
  const times: number[] = [];
  const singles = progress('one by one  ', single, 'checks');
  await share(CONNECTIONS, single, 1, async () => {
    signal.throwIfAborted();
    const began = performance.now();
    add(await postern.checkAccess(next(), ONCE));
    times.push(performance.now() - began);
    singles.to(times.length);
  });
  times.sort((a, b) => a - b);
  const quantile = (part: number): string => (times[Math.floor(times.length * part)] ?? 0).toFixed(1);
  singles.end();
  const within = `half within ${quantile(0.5)} ms, 99 of 100 within ${quantile(0.99)} ms`;
  say(dim(`                ${CONNECTIONS} at a time; ${within}`));

  let done = 0;
  const batches = progress('in batches  ', checks - single, 'checks');
  await share(BATCHES_IN_FLIGHT, checks - single, BATCH, async (size) => {
    signal.throwIfAborted();
    const { data } = await postern.checkAccessBatch({ checks: Array.from({ length: size }, next) }, ONCE);
    for (const answer of data) add(answer);
    done += size;
    batches.to(done);
  });
  batches.end();
  say(dim(`                of ${BATCH}, ${BATCHES_IN_FLIGHT} at a time`));
  return outcomes;
}

/** Splits `total` into pieces of at most `piece`, which `workers` take in parallel. */
async function share(
  workers: number,
  total: number,
  piece: number,
  work: (size: number) => Promise<void>,
): Promise<void> {
  let left = total;
  const worker = async (): Promise<void> => {
    while (left > 0) {
      const size = Math.min(piece, left);
      left -= size;
      await work(size);
    }
  };
  await Promise.all(Array.from({ length: workers }, worker));
}

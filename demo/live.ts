/** Real checks through the API, one by one and in batches, as fast as they are answered. */
import type { CheckRequest } from '../src/access/schema.ts';
import { type Api, CONNECTIONS } from './api.ts';
import { dim, progress, say } from './terminal.ts';
import type { Traffic } from './traffic.ts';

const BATCH = 100;
/** Enough to keep the service busy while the next is being put together. */
const BATCHES_AT_ONCE = 4;

interface Answer {
  allowed: boolean;
  recorded: boolean;
  error?: { code: string };
}

export interface Asked {
  recorded: number;
  allowed: number;
  /** Codes of checks that were not answered with a decision. */
  errors: Map<string, number>;
}

/** One third single, the rest in batches. */
export async function askLive(api: Api, traffic: Traffic, checks: number, signal: AbortSignal): Promise<Asked> {
  const asked: Asked = { recorded: 0, allowed: 0, errors: new Map() };
  const note = (answer: Answer): void => {
    if (answer.recorded) asked.recorded++;
    if (answer.allowed) asked.allowed++;
    if (answer.error !== undefined) asked.errors.set(answer.error.code, (asked.errors.get(answer.error.code) ?? 0) + 1);
  };
  const next = (): CheckRequest => traffic.ask(Date.now());

  const single = Math.ceil(checks / 3);
  const times: number[] = [];
  const singles = progress('one by one  ', single, 'checks');
  await share(CONNECTIONS, single, 1, async () => {
    signal.throwIfAborted();
    const began = performance.now();
    note(await api.send<Answer>('POST', '/v1/access/check', next()));
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
  await share(BATCHES_AT_ONCE, checks - single, BATCH, async (size) => {
    signal.throwIfAborted();
    const body = { checks: Array.from({ length: size }, next) };
    const { data } = await api.send<{ data: Answer[] }>('POST', '/v1/access/check/batch', body);
    for (const answer of data) note(answer);
    done += size;
    batches.to(done);
  });
  batches.end();
  say(dim(`                of ${BATCH}, ${BATCHES_AT_ONCE} at a time`));
  return asked;
}

/** `total` in pieces of `piece`, worked off by `workers` side by side. */
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

/** The generator's process: takes a plan, answers with what it measured. */
import { connect, type Socket } from 'node:net';
import { monotonicMs } from '../src/lib/clock.ts';
import type { LoadPlan, LoadResult } from './load.ts';

process.on('message', (plan: LoadPlan) => {
  run(plan).then(
    (result) => process.send?.(result),
    (error) => {
      process.stderr.write(`${error}\n`);
      process.exit(1);
    },
  );
});
process.on('disconnect', () => process.exit(0));

const SAMPLES_MAX = 8_000_000;
/** In "HTTP/1.1 200". */
const STATUS_AT = 9;

interface Tally {
  /** The three characters of the expected status. */
  status: Buffer;
  measuring: boolean;
  stopping: boolean;
  latencies: Float32Array;
  begun: Float64Array;
  count: number;
  answered: number;
  failures: number;
}

async function run(plan: LoadPlan): Promise<LoadResult> {
  const requests = requestsOf(plan);
  const expected = Math.min(SAMPLES_MAX, Math.ceil(plan.measureMs * 200));
  const tally: Tally = {
    status: Buffer.from(String(plan.status ?? 200)),
    measuring: false,
    stopping: false,
    latencies: new Float32Array(expected),
    begun: new Float64Array(expected),
    count: 0,
    answered: 0,
    failures: 0,
  };
  const stride = Math.max(1, Math.floor(requests.length / plan.connections));
  const loops = Promise.all(
    Array.from({ length: plan.connections }, (_, i) =>
      loop(plan.port, requests, (i * stride) % requests.length, tally),
    ),
  );
  // A connection that breaks ends the run at once.
  const pause = (ms: number) => Promise.race([loops, new Promise((resolve) => setTimeout(resolve, ms))]);
  await pause(plan.warmupMs);
  const cpu = process.cpuUsage();
  const began = performance.now();
  tally.measuring = true;
  await pause(plan.measureMs);
  tally.measuring = false;
  const spanMs = performance.now() - began;
  const { user, system } = process.cpuUsage(cpu);
  tally.stopping = true;
  await loops;
  const count = Math.min(tally.count, expected);
  const tookMs = tally.latencies.subarray(0, count);
  const sorted = tookMs.toSorted();
  return {
    answered: tally.answered,
    perSecond: (tally.count / spanMs) * 1000,
    p50Ms: sorted[Math.floor(sorted.length * 0.5)] ?? Number.NaN,
    p99Ms: sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN,
    failures: tally.failures,
    ownCpu: (user + system) / 1000 / spanMs,
    ...(plan.withTimes === undefined ? {} : { times: { fromMs: tally.begun.slice(0, count), tookMs: tookMs.slice() } }),
  };
}

function requestsOf({ port, path, headers, bodies }: LoadPlan): Buffer[] {
  const fixed = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${fixed.join('')}`;
  if (bodies.length === 0) return [Buffer.from(`GET ${head}\r\n`)];
  return bodies.map((body) => Buffer.from(`POST ${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`));
}

/** Runs one connection; each request waits for the complete answer to the one before. */
function loop(port: number, requests: readonly Buffer[], first: number, tally: Tally): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket: Socket = connect({ port, host: '127.0.0.1', noDelay: true });
    let next = first;
    let sentAt = 0;
    let pending: Buffer | undefined;

    function send(): void {
      const request = requests[next] as Buffer;
      next = next + 1 === requests.length ? 0 : next + 1;
      sentAt = monotonicMs();
      socket.write(request);
    }

    socket.on('connect', send);
    socket.on('data', (chunk: Buffer) => {
      const buffer = pending === undefined ? chunk : Buffer.concat([pending, chunk]);
      if (!isWhole(buffer)) {
        pending = buffer;
        return;
      }
      pending = undefined;
      tally.answered++;
      if (tally.status.compare(buffer, STATUS_AT, STATUS_AT + 3) !== 0) tally.failures++;
      if (tally.measuring) {
        tally.begun[tally.count] = sentAt;
        tally.latencies[tally.count++] = monotonicMs() - sentAt;
      }
      if (tally.stopping) {
        socket.destroy();
        resolve();
      } else send();
    });
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('the server closed a connection')));
  });
}

/** Answers come one at a time, so a whole one ends where the buffer ends. */
function isWhole(buffer: Buffer): boolean {
  const end = buffer.indexOf('\r\n\r\n');
  if (end === -1) return false;
  const head = buffer.toString('latin1', 0, end);
  // It never has a body.
  if (head.startsWith('304', STATUS_AT)) return true;
  const at = head.search(/content-length:/i);
  if (at === -1) return buffer.toString('latin1', buffer.length - 5) === '0\r\n\r\n';
  return buffer.length >= end + 4 + Number.parseInt(head.slice(at + 15), 10);
}

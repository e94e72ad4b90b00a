/**
 * The floor of a durable check: a bare Fastify server whose constant answers wait for their rows. A thread commits
 * groups of them to SQLite, with the pragmas of the service. It looks nothing up and decides nothing.
 */
import { Worker } from 'node:worker_threads';
import { TypeBoxValidatorCompiler } from '@fastify/type-provider-typebox';
import Fastify from 'fastify';
import type { Value } from '../../src/db/db.ts';
import { BatchRequest, CheckRequest } from '../../src/decisions/check/schema.ts';
import '../../src/api/http/formats.ts';

const answer = 'x'.repeat(Number(process.env.ANSWER_BYTES ?? 500));
const worker = new Worker(new URL('./durable-worker.ts', import.meta.url), { workerData: process.env.ROWS_FILE });
let waiting: Value[] = [];
let resolves: (() => void)[] = [];
let isWriting = false;
let seq = 0;

/** Writes the rows that arrive within a turn of the event loop, or during a commit, with one fsync. */
function write(checks: readonly CheckRequest[]): Promise<void> {
  for (const check of checks) add(check);
  return new Promise((resolve) => {
    resolves.push(resolve);
    if (isWriting) return;
    isWriting = true;
    setImmediate(send);
  });
}

function send(): void {
  const written = resolves;
  worker.once('message', () => {
    isWriting = resolves.length > 0;
    if (isWriting) send();
    for (const resolve of written) resolve();
  });
  worker.postMessage(waiting);
  waiting = [];
  resolves = [];
}

/** Adds a row as long as that of a decision; see durable-worker. */
function add({ requesterId, purpose, context }: CheckRequest): void {
  const inputs = JSON.stringify({ context });
  waiting.push(++seq, Date.now(), 1, requesterId ?? null, 1, 1, 0, 3, 0, inputs, 'GPTBot', purpose ?? null, 1);
}

const app = Fastify({ bodyLimit: 16 * 1024 * 1024 });
app.setValidatorCompiler(TypeBoxValidatorCompiler);
app.post<{ Body: CheckRequest }>('/check', { schema: { body: CheckRequest } }, ({ body }, reply) => {
  void write([body]).then(() => reply.type('application/json; charset=utf-8').send(answer));
});
app.post<{ Body: { checks: CheckRequest[] } }>('/batch', { schema: { body: BatchRequest } }, ({ body }, reply) => {
  void write(body.checks).then(() => reply.type('application/json; charset=utf-8').send(answer));
});
app.get('/ready', (_request, reply) => {
  reply.send('ok');
});
await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT) });
process.once('SIGTERM', () => process.exit(0));

/**
 * A bare Fastify server that validates a body and answers a constant of ANSWER_BYTES: the floor a framework sets. With
 * CONSTANT (JSON: `headers`, `body`), `GET /constant` answers that, or 304 to its ETag.
 */
import { TypeBoxValidatorCompiler } from '@fastify/type-provider-typebox';
import Fastify from 'fastify';
import { BulkUpsertContent } from '../../src/content/schema.ts';
import { BatchRequest, CheckRequest } from '../../src/decisions/check/schema.ts';
import '../../src/api/http/formats.ts';

const answer = 'x'.repeat(Number(process.env.ANSWER_BYTES ?? 500));
const app = Fastify({ bodyLimit: 16 * 1024 * 1024 });
app.setValidatorCompiler(TypeBoxValidatorCompiler);
for (const [path, body] of [
  ['/check', CheckRequest],
  ['/batch', BatchRequest],
  ['/bulk', BulkUpsertContent],
] as const) {
  app.post(path, { schema: { body } }, (_request, reply) => {
    reply.type('application/json; charset=utf-8').send(answer);
  });
}
const constant = JSON.parse(process.env.CONSTANT ?? '{"headers":{},"body":""}') as {
  headers: Record<string, string>;
  body: string;
};
const { 'content-type': type = '', ...others } = constant.headers;
app.get('/constant', (request, reply) => {
  reply.headers(others);
  if (request.headers['if-none-match'] === others.etag) reply.code(304).send();
  else reply.type(type).send(constant.body);
});
app.get('/ready', (_request, reply) => {
  reply.send('ok');
});
await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT) });
process.once('SIGTERM', () => process.exit(0));

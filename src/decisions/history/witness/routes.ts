/** The witness as others ask it: C2SP tlog-witness, whose requests are signed by the logs and need no key. */
import { isUtf8 } from 'node:buffer';
import { Type } from 'typebox';
import { fail } from '../../../api/errors.ts';
import type { App } from '../../../api/http/app.ts';
import { sendText } from '../../../api/http/reply.ts';
import { monotonicMs } from '../../../lib/clock.ts';
import type { Witness } from './cosigner.ts';

/** 16 signatures of the largest kind in use, and 63 hashes. */
const BODY_BYTES_MAX = 128 * 1024;
const PLAIN = 'text/plain; charset=utf-8';
const config = { permission: null };
const schema = { hide: true } as object;

/** Without a witness, nothing is there. */
export async function witnessRoutes(app: App, witness: Witness | null): Promise<void> {
  if (witness === null) return;
  app.get('/witness/key', { config, schema }, async (_request, reply) => {
    reply.header('cache-control', 'no-cache');
    return sendText(reply, PLAIN, `${witness.vkey}\n`);
  });
  const limit = openRateLimit();
  await app.register(async (scope) => {
    // Clients name any content type, or none.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    const options = { config, schema: { hide: true, body: Type.Any() } as object, bodyLimit: BODY_BYTES_MAX };
    scope.post('/witness/add-checkpoint', options, async (request, reply) => {
      limit(request.source() ?? '');
      const { body } = request as { body: unknown };
      const text = Buffer.isBuffer(body) && isUtf8(body) ? body.toString() : '';
      const answer = await witness.add(text);
      reply.code(answer.status).header('cache-control', 'no-store');
      return sendText(reply, answer.status === 409 ? 'text/x.tlog.size' : PLAIN, answer.body);
    });
  });
}

const A_SECOND = 20;
const AT_ONCE = 200;
const SOURCES_MAX = 10_000;

/** Returns a function that throws api_rate_limit_exceeded: a signature takes longer to verify than to send. */
function openRateLimit(): (source: string) => void {
  const left = new Map<string, { tokens: number; at: number }>();
  return (source) => {
    const now = monotonicMs();
    const { tokens, at } = left.get(source) ?? { tokens: AT_ONCE, at: now };
    const have = Math.min(AT_ONCE, tokens + ((now - at) / 1000) * A_SECOND);
    if (have < 1) {
      const message = `You may send ${A_SECOND} checkpoints a second.`;
      throw fail('api_rate_limit_exceeded', message, { headers: { 'retry-after': '1' } });
    }
    if (left.size >= SOURCES_MAX) left.clear();
    left.set(source, { tokens: have - 1, at: now });
  };
}

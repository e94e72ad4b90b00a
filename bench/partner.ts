/**
 * `POST /v1/me/access` with a thousand URLs of registered items. Each round asks for items that no request has asked
 * for, so all of them are read from the records. Not pinned.
 */
import { join } from 'node:path';
import { temporaryFolder } from '../kit/launch.ts';
import { median, type Part } from './figure.ts';
import { itemAt, TEN_RULES } from './inputs.ts';
import { createPolicy, startPostern, upsertItems } from './service.ts';

const URLS = 1_000;
const MOST_MS = 100;

export const partnerPart: Part = {
  name: 'partner',
  about: `a partner asks for ${URLS.toLocaleString('en')} URLs at once`,
  async run({ quick, say }) {
    const rounds = quick ? 3 : 15;
    using dir = temporaryFolder();
    await using postern = await startPostern({ dataDir: join(dir.path, 'data') });
    const items = Array.from({ length: rounds * URLS }, (_, i) => ({
      ...itemAt(i),
      source: `https://www.example.com/news/${i}`,
    }));
    await upsertItems(postern, items, await createPolicy(postern, 'Ten rules', TEN_RULES));
    await postern.post('/v1/requesters', { id: 'partner' });
    const { token } = await postern.post<{ token: string }>('/v1/requesters/partner/tokens', { name: 'bench' });
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const url = `http://127.0.0.1:${postern.port}/v1/me/access`;
    const cold: number[] = [];
    const warm: number[] = [];
    const cpu: number[] = [];
    const ask = async (body: string): Promise<number> => {
      const begun = performance.now();
      const answer = await fetch(url, { method: 'POST', headers, body });
      const { data } = (await answer.json()) as { data: { error?: object }[] };
      const ms = performance.now() - begun;
      if (data.length !== URLS || data.some(({ error }) => error !== undefined))
        throw new Error('not all were decided');
      return ms;
    };
    for (let round = 0; round < rounds; round++) {
      const own = items.slice(round * URLS, (round + 1) * URLS);
      const body = JSON.stringify({ checks: own.map(({ source }) => ({ url: source, purpose: 'training' })) });
      const before = postern.cpuMs();
      cold.push(await ask(body));
      cpu.push(postern.cpuMs() - before);
      warm.push(await ask(body));
      say(
        `round ${round + 1}: ${(cold.at(-1) as number).toFixed(1)} ms, again ${(warm.at(-1) as number).toFixed(1)} ms`,
      );
    }
    const value = median(cpu);
    return {
      figures: [
        {
          what: `processor time of the service for ${URLS.toLocaleString('en')} URLs, none of them in memory`,
          value,
          unit: 'ms',
          target: { text: `≤ ${MOST_MS} ms`, met: value <= MOST_MS },
        },
        { what: 'from the request to the parsed answer', value: median(cold), unit: 'ms' },
        { what: 'the same URLs again', value: median(warm), unit: 'ms' },
      ],
      notes: ['The processor time is that of all threads; the other times depend on what else the machine does.'],
    };
  },
};

/**
 * Measures imports through the API: bulk upserts of 1,000 items over HTTP, new ones and then edits of them. A bare
 * Fastify server parses the same bodies beside it.
 */
import { join } from 'node:path';
import { temporaryFolder } from '../kit/launch.ts';
import { type Figure, median, medianRatio, type Part } from './figure.ts';
import { FLOOR_HEADERS, startBareFastify } from './floor/servers.ts';
import { itemAt, TEN_RULES } from './inputs.ts';
import { summarizeProfiles } from './profile.ts';
import { createPolicy, startPostern } from './service.ts';

const SIZE = 1_000;
const LEAST = 15_000;

export const bulkPart: Part = {
  name: 'bulk',
  about: `Bulk-upsert in requests of ${SIZE.toLocaleString('en')} items, one after the other`,
  async run({ quick, profile, say }) {
    using dir = temporaryFolder();
    const profileDir = profile ? join(dir.path, 'profiles') : undefined;
    await using postern = await startPostern({ dataDir: join(dir.path, 'data'), profileDir });
    await using fastify = await startBareFastify();
    const policyId = await createPolicy(postern, 'Ten rules', TEN_RULES);
    const requests = quick ? 20 : 100;
    const created: number[] = [];
    const updated: number[] = [];
    const parsed: number[] = [];
    const bodyOf = (request: number, edit: number): { items: unknown[] } => ({
      items: Array.from({ length: SIZE }, (_, i) => {
        const item = itemAt(request * SIZE + i);
        return { ...item, policyId, metadata: { ...item.metadata, edit } };
      }),
    });
    const upsert = async (request: number, edit: number): Promise<number> => {
      const body = bodyOf(request, edit);
      const began = performance.now();
      const answer = await postern.post<{ created: number; updated: number }>('/v1/content/bulk-upsert', body);
      if (answer.created + answer.updated !== SIZE) throw new Error(JSON.stringify(answer));
      return (SIZE / (performance.now() - began)) * 1000;
    };
    for (let i = 0; i < requests; i++) {
      created.push(await upsert(i, 0));
      parsed.push(await parse(fastify.port, bodyOf(i, 0)));
    }
    for (let i = 0; i < requests; i++) updated.push(await upsert(i, 1));
    say(`created ${Math.round(median(created))}/s, updated ${Math.round(median(updated))}/s`);
    if (profileDir !== undefined) {
      await postern.stop();
      say(summarizeProfiles(profileDir));
    }
    const figure = (what: string, values: number[]): Figure => ({
      what,
      value: median(values),
      unit: '/s',
      against: { what: 'bare Fastify', value: median(parsed), ratio: medianRatio(values, parsed) },
      target: { text: `≥ ${LEAST.toLocaleString('en')}/s`, met: median(values) >= LEAST },
    });
    return { figures: [figure('items created', created), figure('items edited', updated)], notes: [] };
  },
};

async function parse(port: number, body: unknown): Promise<number> {
  const began = performance.now();
  const response = await fetch(`http://127.0.0.1:${port}/bulk`, {
    method: 'POST',
    headers: FLOOR_HEADERS,
    body: JSON.stringify(body),
  });
  await response.text();
  return (SIZE / (performance.now() - began)) * 1000;
}

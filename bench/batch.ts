/**
 * Batches of 100 checks, every decision durable: what an installation carries when its askers collect their questions.
 * Not pinned: the service and the load share all cores, as "decisions a second per machine" has it.
 */
import { join } from 'node:path';
import { temporaryFolder } from '../kit/launch.ts';
import { seeded, skewed } from '../kit/random.ts';
import { type Figure, median, medianRatio, type Part } from './figure.ts';
import { checksOf, itemAt, TEN_RULES } from './inputs.ts';
import { openLoader } from './load.ts';
import { summarizeProfiles } from './profile.ts';
import { RIVAL_HEADERS, startBareFastify } from './rivals/rivals.ts';
import { createPolicy, HEADERS, startPostern, upsertItems } from './service.ts';

const ITEMS = 1_000;
const SIZE = 100;
const BATCHES = 200;
const CONNECTIONS = [4, 8, 16];
const LEAST = 220_000;

export const batchPart: Part = {
  name: 'batch',
  about: `Durable decisions in batches of ${SIZE}, not pinned`,
  async run({ quick, profile, say }) {
    using dir = temporaryFolder();
    const profileDir = profile ? join(dir.path, 'profiles') : undefined;
    await using postern = await startPostern({ dataDir: join(dir.path, 'data'), profileDir });
    const items = Array.from({ length: ITEMS }, (_, i) => itemAt(i));
    await upsertItems(postern, items, await createPolicy(postern, 'Ten rules', TEN_RULES));
    const next = skewed(ITEMS, seeded(3));
    const checks = checksOf(SIZE * BATCHES, () => items[next()]?.externalId ?? '');
    const bodies = Array.from({ length: BATCHES }, (_, i) =>
      JSON.stringify({ checks: checks.slice(i * SIZE, (i + 1) * SIZE) }),
    );
    const answer = await postern.post('/v1/access/check/batch', JSON.parse(bodies[0] as string));
    await using fastify = await startBareFastify({ answerBytes: Buffer.byteLength(JSON.stringify(answer)) });

    await using loader = openLoader();
    const figures: Figure[] = [];
    let busiest = 0;
    for (const connections of CONNECTIONS) {
      const ours: number[] = [];
      const theirs: number[] = [];
      const p99: number[] = [];
      const cpuUs: number[] = [];
      for (let round = 0; round < (quick ? 1 : 5); round++) {
        const common = { bodies, connections, warmupMs: round === 0 ? 2000 : 500, measureMs: quick ? 1000 : 4000 };
        const path = '/v1/access/check/batch';
        const before = postern.cpuMs();
        const result = await loader.run({ port: postern.port, path, headers: HEADERS, ...common });
        cpuUs.push(((postern.cpuMs() - before) / (result.answered * SIZE)) * 1000);
        busiest = Math.max(busiest, result.ownCpu);
        const other = await loader.run({ port: fastify.port, path: '/batch', headers: RIVAL_HEADERS, ...common });
        ours.push(result.perSecond * SIZE);
        theirs.push(other.perSecond * SIZE);
        p99.push(result.p99Ms);
        say(`${connections} connections: ${Math.round(result.perSecond * SIZE)}/s, p99 ${result.p99Ms.toFixed(1)} ms`);
      }
      const value = median(ours);
      figures.push({
        what: `durable decisions, ${connections} connections (${median(cpuUs).toFixed(1)} µs of processor time each, p99 of a batch ${median(p99).toFixed(0)} ms)`,
        value,
        unit: '/s',
        against: { what: 'bare Fastify', value: median(theirs), ratio: medianRatio(ours, theirs) },
        target: { text: `≥ ${LEAST.toLocaleString('en')}/s`, met: value >= LEAST },
      });
    }
    if (profileDir !== undefined) {
      await postern.stop();
      say(summarizeProfiles(profileDir));
    }
    return {
      figures,
      notes: [
        'The bare Fastify server parses the same bodies and answers a constant of the same size.',
        `The load generator took at most ${Math.round(busiest * 100)} % of a core.`,
      ],
    };
  },
};

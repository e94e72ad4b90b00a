/**
 * Measures how fast a signal is served from memory, whole and to a client that has it (304), beside a bare Fastify
 * server that answers the same bytes with the same headers. On one core, in alternating rounds.
 */
import { join } from 'node:path';
import { temporaryFolder } from '../kit/launch.ts';
import type { Rule } from '../src/rules/policy.ts';
import { type Contender, contender, measure } from './check.ts';
import { type Figure, median, medianRatio, type PartOptions, type Result } from './figure.ts';
import { startBareFastify } from './floor/servers.ts';
import { splitCores } from './machine.ts';
import { summarizeProfiles } from './profile.ts';
import { createPolicy, type Postern, startPostern } from './service.ts';

const HOST = 'www.example.com';
const PATH = `/v1/sites/${HOST}/signals/robots.txt`;
/** Share of the requests of a bare server. */
const LEAST = 0.8;
const RULES: Rule[] = [
  { action: 'deny', conditions: { crawlerPurpose: 'training' } },
  { action: 'allow', conditions: { crawlerNot: ['CCBot', 'Bytespider'] } },
];
/** Fastify and Node.js write them for both. */
const WRITTEN = ['connection', 'keep-alive', 'date', 'content-length'];

export async function measureServed(options: PartOptions): Promise<Result> {
  using dir = temporaryFolder();
  const cores = splitCores();
  const profileDir = options.profile ? join(dir.path, 'profiles') : undefined;
  await using postern = await startPostern({ dataDir: join(dir.path, 'data'), core: cores.server, profileDir });
  const { headers, body } = await publish(postern);
  const CONSTANT = JSON.stringify({ headers, body });
  await using fastify = await startBareFastify({ core: cores.server, env: { CONSTANT } });
  const known = { 'if-none-match': headers.etag as string };
  const contenders = [
    contender('Postern', postern, { path: PATH, headers: {}, bodies: [] }),
    contender('bare Fastify', fastify, { path: '/constant', headers: {}, bodies: [] }),
    contender('Postern, 304', postern, { path: PATH, headers: known, bodies: [], status: 304 }),
    contender('bare Fastify, 304', fastify, { path: '/constant', headers: known, bodies: [], status: 304 }),
  ];
  await measure(contenders, cores.load, options);
  if (profileDir !== undefined) {
    await postern.stop();
    options.say(summarizeProfiles(profileDir));
  }
  const [whole, bare, unchanged, bareUnchanged] = contenders as [Contender, Contender, Contender, Contender];
  return {
    figures: [...compared('robots.txt served', whole, bare), ...compared('304 served', unchanged, bareUnchanged)],
    notes: [cores.note, `robots.txt of ${Buffer.byteLength(body)} bytes, to everybody, at 64 connections.`],
  };
}

async function publish(postern: Postern): Promise<{ headers: Record<string, string>; body: string }> {
  const policyId = await createPolicy(postern, 'Crawlers', RULES);
  await postern.post('/v1/collections', { name: 'Site', hosts: [HOST], paths: ['/'], policyId });
  await postern.put(`/v1/sites/${HOST}`, { signals: { public: true } });
  const answer = await fetch(`http://127.0.0.1:${postern.port}${PATH}`);
  if (answer.status !== 200) throw new Error(`${PATH}: ${answer.status}`);
  const headers = [...answer.headers].filter(([name]) => !WRITTEN.includes(name));
  return { headers: Object.fromEntries(headers), body: await answer.text() };
}

function compared(what: string, one: Contender, other: Contender): Figure[] {
  const [perSecond, theirs] = [one, other].map(({ results }) => results.map((result) => result.perSecond));
  const [cpu, theirCpu] = [one, other].map(({ results }) => results.map((result) => result.cpuUs));
  const ratio = medianRatio(perSecond as number[], theirs as number[]);
  return [
    {
      what,
      value: median(perSecond as number[]),
      unit: '/s',
      against: { what: other.name, value: median(theirs as number[]), ratio },
      target: { text: `≥ ${LEAST}`, met: ratio >= LEAST },
    },
    {
      what: `${what}, processor time`,
      value: median(cpu as number[]),
      unit: 'µs',
      against: {
        what: other.name,
        value: median(theirCpu as number[]),
        ratio: medianRatio(cpu as number[], theirCpu as number[]),
      },
    },
  ];
}

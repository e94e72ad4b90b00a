/** Create a probe of a proxy; read what arrived. */
import type { Changes } from '../../api/changes/changes.ts';
import { fail } from '../../api/errors.ts';
import type { App } from '../../api/http/app.ts';
import { edit, route } from '../../api/http/route.ts';
import type { Db } from '../../db/db.ts';
import { type Clock, toIso } from '../../lib/clock.ts';
import { proveToAdapter } from './adapter-proof.ts';
import { CreateProbe, ProbeAnswer } from './probe-schema.ts';
import { findProbes, insertProbe, type Probe } from './probe-store.ts';
import { newProbe } from './probes.ts';

export interface ProbeDeps {
  db: Db;
  changes: Changes;
  clock: Clock;
}

export function probeRoutes(app: App, { db, changes, clock }: ProbeDeps): void {
  const common = { tag: 'Access', permission: 'access:check', secretKey: true } as const;
  const create = {
    ...common,
    id: 'createProxyProbe',
    is: 'Start to find out what a proxy passes on',
    body: CreateProbe,
    bodyOptional: true,
    answers: { 201: ProbeAnswer },
  } as const;
  edit(app, 'POST /v1/proxy-probes', create, (request) =>
    changes.commit(request, 'proxy-probes', async () => {
      const now = clock.now();
      const probe = newProbe(now);
      const { host } = request.body;
      const proof = host === undefined ? null : await proveToAdapter(db, request.caller, host, now);
      return { steps: insertProbe(probe), changes: [], status: 201, body: toAnswer(probe, proof) };
    }),
  );
  const read = { ...common, id: 'getProxyProbe', is: 'Read what a proxy passed on', answer: ProbeAnswer } as const;
  route(app, 'GET /v1/proxy-probes/:id', read, async ({ params: { id } }) => {
    const probe = (await findProbes(db, clock.now())).find((one) => one.id === id);
    if (probe === undefined)
      throw fail('proxy_probe_not_found', `No probe ${id} is running; each ends after a minute.`);
    return toAnswer(probe);
  });
}

const toAnswer = ({ id, mark, createdAt, expiresAt, arrived }: Probe, adapterProof: string | null = null) => ({
  id,
  object: 'proxy_probe' as const,
  mark,
  adapterProof,
  expires: toIso(expiresAt),
  arrived,
  created: toIso(createdAt),
  updated: toIso(createdAt),
});

/**
 * Measures what traces for OpenTelemetry add to a check: without the `OTEL_…` variables, alone, for as many spans as a
 * check has; and with them over HTTP, beside a service without. Rounds take turns.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { temporaryFolder } from '../kit/launch.ts';
import { traced } from '../src/lib/spans.ts';
import { contender, loadCatalogue, measure } from './check.ts';
import { median, medianRatio, type Part } from './figure.ts';
import { TEN_RULES } from './inputs.ts';
import { splitCores } from './machine.ts';
import { HEADERS, startPostern } from './service.ts';

/** The request, the check, deciding and the commit; see test/tracing.test.ts. */
const SPANS = 4;
const PASSES = 500_000;
const MOST = 0.01;

export const tracingPart: Part = {
  name: 'tracing',
  about: 'A durable check over HTTP with and without traces for OpenTelemetry',
  async run(options) {
    using dir = temporaryFolder();
    const cores = splitCores();
    const receiver = createServer((request, response) => request.resume().once('end', () => response.end()));
    await new Promise<void>((listening) => receiver.listen(0, '127.0.0.1', listening));
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
    await using without = await startPostern({ dataDir: join(dir.path, 'without'), core: cores.server });
    await using withTraces = await startPostern({
      dataDir: join(dir.path, 'with'),
      core: cores.server,
      env: { OTEL_EXPORTER_OTLP_ENDPOINT: url },
    });
    const contenders = [];
    for (const [name, postern] of Object.entries({ without, 'with traces': withTraces })) {
      const { checks } = await loadCatalogue(postern, 'article', 'Ten rules', TEN_RULES);
      const bodies = checks.map((check) => JSON.stringify(check));
      contenders.push(contender(name, postern, { path: '/v1/access/check', headers: HEADERS, bodies }));
    }
    await measure(contenders, cores.load, options);
    await withTraces.stop();
    receiver.closeAllConnections();
    receiver.close();
    const [plain = [], traces = []] = contenders.map(({ results }) => results.map(({ cpuUs }) => cpuUs));
    const added = SPANS * addedNs(options.quick ? 5 : 31);
    const share = added / 1000 / median(plain);
    return {
      figures: [
        {
          what: `processor time that ${SPANS} spans add to a check while no variable is set`,
          value: added,
          unit: 'ns',
          against: { what: 'a check', value: median(plain) * 1000, ratio: share },
          target: { text: `≤ ${MOST}`, met: share <= MOST },
        },
        {
          what: 'processor time of a check, with traces',
          value: median(traces),
          unit: 'µs',
          against: { what: 'without', value: median(plain), ratio: medianRatio(traces, plain) },
        },
      ],
      notes: [cores.note, 'Every check is traced; `OTEL_TRACES_SAMPLER` traces fewer.'],
    };
  },
};

/** Returns the median over so many rounds of what one span takes that is not recorded. */
function addedNs(rounds: number): number {
  const work = () => PASSES;
  const differences = Array.from({ length: rounds }, () => nanoseconds(() => traced('work', work)) - nanoseconds(work));
  return Math.max(0, median(differences));
}

/** Kept, so that no compiler leaves the work out. */
let kept: unknown;

function nanoseconds(run: () => unknown): number {
  const begun = process.cpuUsage();
  for (let pass = 0; pass < PASSES; pass++) kept = run();
  const { user, system } = process.cpuUsage(begun);
  if (kept === undefined) throw new Error('nothing was done');
  return ((user + system) * 1000) / PASSES;
}

/**
 * Measures what a candidate costs a check: the same durable checks of two policies with the same ten rules, one with a
 * candidate of ten rules. Rounds take turns on one server.
 */
import { join } from 'node:path';
import { temporaryFolder } from '../kit/launch.ts';
import { type Contender, contender, loadCatalogue, measure } from './check.ts';
import { type Figure, median, medianRatio, type Part } from './figure.ts';
import { TEN_RULES } from './inputs.ts';
import { splitCores } from './machine.ts';
import { HEADERS, startPostern } from './service.ts';

const MOST = 1.15;

/** Most checks agree, as with most edits: only research is denied. */
const CANDIDATE = TEN_RULES.map((rule, index) =>
  index === 8 ? { action: 'deny', conditions: rule.conditions } : rule,
);

export const candidatePart: Part = {
  name: 'candidate',
  about: 'One durable check over HTTP with a candidate beside its policy',
  async run(options) {
    using dir = temporaryFolder();
    const cores = splitCores();
    await using postern = await startPostern({ dataDir: join(dir.path, 'data'), core: cores.server });
    const plain = await loadCatalogue(postern, 'plain', 'Ten rules', TEN_RULES);
    const tried = await loadCatalogue(postern, 'tried', 'Ten rules and a candidate', TEN_RULES);
    const path = `/v1/policies/${tried.policyId}/candidate`;
    await postern.put(path, { rules: CANDIDATE });
    const contenders = [
      { name: 'without', checks: plain.checks },
      { name: 'with a candidate', checks: tried.checks },
    ].map(({ name, checks }) =>
      contender(name, postern, {
        path: '/v1/access/check',
        headers: HEADERS,
        bodies: checks.map((check) => JSON.stringify(check)),
      }),
    );
    await measure(contenders, cores.load, options);
    return {
      figures: figuresOf(contenders as [Contender, Contender]),
      notes: [
        cores.note,
        'Processor time counts all threads of the server; what else the machine does moves it least.',
      ],
    };
  },
};

function figuresOf([without, withOne]: [Contender, Contender]): Figure[] {
  const cpu = (one: Contender): number[] => one.results.map((result) => result.cpuUs);
  const perSecond = (one: Contender): number[] => one.results.map((result) => result.perSecond);
  const ratio = medianRatio(cpu(withOne), cpu(without));
  return [
    {
      what: 'processor time of a check with a candidate',
      value: median(cpu(withOne)),
      unit: 'µs',
      against: { what: 'without', value: median(cpu(without)), ratio },
      target: { text: `≤ ${MOST}`, met: ratio <= MOST },
    },
    {
      what: 'durable checks with a candidate',
      value: median(perSecond(withOne)),
      unit: '/s',
      against: {
        what: 'without',
        value: median(perSecond(without)),
        ratio: medianRatio(perSecond(withOne), perSecond(without)),
      },
    },
  ];
}

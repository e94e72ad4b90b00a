/**
 * `npm run bench`: runs the parts, shows what they found and keeps it in RESULTS.md.
 *   --only name[,name]   these parts alone; the results of the others stay
 *   --quick              small and short, to see that it works; writes nothing
 *   --profile            where the service's time went, for the parts that can say
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { auditPart } from './audit.ts';
import { batchPart } from './batch.ts';
import { bulkPart } from './bulk.ts';
import { candidatePart } from './candidate.ts';
import { checkPart } from './check.ts';
import { clickHousePart } from './clickhouse.ts';
import { clusterPart } from './cluster.ts';
import { collectionsPart } from './collections.ts';
import { conditionsPart } from './conditions.ts';
import { crawlersPart } from './crawlers.ts';
import { decidePart } from './decide.ts';
import { diskPart } from './disk.ts';
import { doorsPart } from './doors.ts';
import { edgePart } from './edge.ts';
import type { Part } from './figure.ts';
import { flatPart } from './flat.ts';
import { identitiesPart } from './identities.ts';
import { impactPart } from './impact.ts';
import { importPart } from './import.ts';
import { describeMachine } from './machine.ts';
import { p99Part } from './p99.ts';
import { partnerPart } from './partner.ts';
import { postgresPart } from './postgres.ts';
import { privacyPart } from './privacy.ts';
import { quotaPart, quotaPostgresPart } from './quota.ts';
import { reachPart } from './reach.ts';
import { receiptsPart } from './receipts.ts';
import { saveResults, tableOf } from './results.ts';
import { signInPart } from './sign-in.ts';
import { signalsPart } from './signals.ts';
import { signaturesPart } from './signatures.ts';
import { signedPart } from './signed.ts';
import { sortingPart } from './sorting.ts';
import { startPart } from './start.ts';
import { statementsPart } from './statements.ts';
import { tracingPart } from './tracing.ts';
import { urlsPart } from './urls.ts';
import { usagePart } from './usage.ts';
import { visitorsPart } from './visitors.ts';
import { webhooksPart } from './webhooks.ts';
import { wordpressPart } from './wordpress.ts';

const PARTS: readonly Part[] = [
  checkPart,
  p99Part,
  signInPart,
  tracingPart,
  candidatePart,
  quotaPart,
  quotaPostgresPart,
  batchPart,
  decidePart,
  conditionsPart,
  crawlersPart,
  signaturesPart,
  signedPart,
  doorsPart,
  identitiesPart,
  collectionsPart,
  sortingPart,
  urlsPart,
  signalsPart,
  flatPart,
  usagePart,
  visitorsPart,
  impactPart,
  partnerPart,
  reachPart,
  receiptsPart,
  privacyPart,
  statementsPart,
  startPart,
  bulkPart,
  importPart,
  auditPart,
  diskPart,
  edgePart,
  wordpressPart,
  webhooksPart,
  postgresPart,
  clusterPart,
  clickHousePart,
];
const RESULTS = join(import.meta.dirname, 'RESULTS.md');

const { values } = parseArgs({
  options: { only: { type: 'string' }, quick: { type: 'boolean' }, profile: { type: 'boolean' } },
});
const names = values.only?.split(',') ?? PARTS.map((part) => part.name);
const unknown = names.filter((name) => !PARTS.some((part) => part.name === name));
if (unknown.length > 0) {
  process.stderr.write(
    `There is no part ${unknown.join(', ')}; there are ${PARTS.map((part) => part.name).join(', ')}.\n`,
  );
  process.exit(1);
}

const print = (text: string): void => void process.stdout.write(`${text}\n`);
const machine = describeMachine();
print(`${machine.cores} cores of ${machine.model}, ${machine.memory}, Node ${machine.node}, commit ${machine.commit}`);
let missed = 0;
for (const part of PARTS.filter(({ name }) => names.includes(name))) {
  print(`\n${part.name}: ${part.about}`);
  const { load } = describeMachine();
  const result = await part.run({
    quick: values.quick ?? false,
    profile: values.profile ?? false,
    say: (line) => print(`  ${line}`),
  });
  print(tableOf(result));
  missed += result.figures.filter((figure) => figure.target?.met === false).length;
  // A profile slows what it watches: such figures are not kept.
  if (values.quick !== true && values.profile !== true) saveResults(RESULTS, part, result, { ...machine, load });
}
print(missed === 0 ? '\nAll targets reached.' : `\n${missed} targets missed.`);

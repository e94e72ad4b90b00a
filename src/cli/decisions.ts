/** `postern decisions`: follows the decision log, exports it, or gets receipts. */
import { setTimeout as pause } from 'node:timers/promises';
import { type Command, Option } from 'commander';
import type { Postern } from '../../client/src/client.ts';
import type { LoggedDecision, Query } from '../../client/src/types.ts';
import { paint, plain } from '../lib/terminal-text.ts';
import { findProgram } from '../rules/crawlers/program.ts';
import { type CommandContext, calls, examples, idArgument } from './command.ts';
import { addGrounds, type GroundsAnswer, toGrounds } from './grounds.ts';
import { openCsv, openOutput } from './output.ts';
import { progress, type Terminal } from './terminal.ts';

type Filtered = Query<'listDecisions'>;

interface Filter extends GroundsAnswer {
  url?: string;
  spoofed?: boolean;
  observed?: boolean;
  test?: boolean;
  content?: string;
  requester?: string;
  program?: string;
  policy?: string;
  allowed?: boolean;
  denied?: boolean;
  reason?: Filtered['reason'];
  from?: string;
  to?: string;
}

const addFilter = (command: Command): Command =>
  addGrounds(command)
    .option('--url <prefix>', 'only URLs that begin like this: host and path')
    .option('--spoofed', 'only requests whose visitor claimed a name falsely')
    .option('--observed', 'only decisions that were observed, not enforced')
    .option('--test', 'the log of test keys')
    .option('--content <id>', 'only decisions about this item')
    .option('--requester <id>', 'only decisions for this requester')
    .option('--program <name>', 'only requests whose user agent is of this program')
    .option('--policy <id>', 'only decisions by this policy')
    .addOption(new Option('--allowed', 'only decisions that allow').conflicts('denied'))
    .option('--denied', 'only decisions that deny')
    .option('--reason <reason>', 'only denials for this reason');

const toQuery = ({ content, requester, policy, allowed, denied, reason, from, to, ...more }: Filter): Filtered => ({
  ...toGrounds(more),
  url: more.url,
  program: more.program,
  spoofed: more.spoofed,
  enforced: more.observed === true ? false : undefined,
  mode: more.test === true ? 'test' : undefined,
  contentId: content,
  requesterId: requester,
  policyId: policy,
  allowed: allowed === true ? true : denied === true ? false : undefined,
  reason,
  from,
  to,
});

export function decisionsCommand(parent: Command, context: CommandContext): void {
  const group = parent.command('decisions').description('The decision log: follow it, export it, get receipts.');
  tailCommand(group, context);
  exportCommand(group, context);
  receiptCommand(group, context);
}

function tailCommand(parent: Command, context: CommandContext): void {
  const command = addFilter(
    parent.command('tail').description('Shows decisions as they are made, until Ctrl-C.'),
  ).option('--last <n>', 'start with this many earlier decisions', '10');
  examples(
    command,
    '$ postern decisions tail --denied',
    '$ postern decisions tail --requester gptbot --json | jq .reason',
  );
  calls<Filter & { last: string }>(command, context, async ({ postern, terminal }, options) => {
    for await (const decision of follow(terminal, postern, toQuery(options), Number(options.last))) {
      await terminal.out(options.json === true ? `${JSON.stringify(decision)}\n` : toLine(terminal, decision));
    }
  });
}

function exportCommand(parent: Command, context: CommandContext): void {
  const command = addFilter(
    parent
      .command('export')
      .description('Writes all matching decisions, newest first, as they were when the export began.'),
  )
    .option('--from <time>', 'from this day or time on')
    .option('--to <time>', 'up to this day, included, or this time')
    .addOption(new Option('--format <format>', 'format of the lines').choices(['ndjson', 'csv']).default('ndjson'))
    .addOption(
      new Option('--robots <how>', 'only accesses of crawlers that broke robots.txt as it was then').choices([
        'broken',
        'within_24h',
        'any',
      ]),
    )
    .option('--output <file>', 'write to this file instead of stdout');
  examples(
    command,
    '$ postern decisions export --from 2026-11-01 --to 2026-11-30 --format csv --output november.csv',
    '$ postern decisions export --denied | wc -l',
  );
  calls<Export>(command, context, async ({ postern, terminal }, options) => {
    const filter: Filtered = { ...toQuery(options), robots: options.robots };
    const query = Object.entries(filter).filter(([, value]) => value !== undefined);
    const params = new URLSearchParams(query.map(([name, value]) => [name, String(value)]));
    const csv = options.format === 'csv';
    const accept = csv ? 'text/csv' : 'application/x-ndjson';
    const { body } = await postern.open(`/v1/access/decisions?${params.toString()}`, { accept });
    const output = csv ? await openCsv(terminal, options.output) : openOutput(terminal, options.output);
    const shown = progress(terminal, 'decision');
    let lines = 0;
    for await (const chunk of body ?? []) {
      await output.write(chunk);
      for (const byte of chunk) if (byte === LINE_FEED) lines++;
      shown.show(lines);
    }
    shown.end();
    await output.end();
  });
}

function receiptCommand(parent: Command, context: CommandContext): void {
  const command = parent
    .command('receipt')
    .addArgument(idArgument('id of a decision'))
    .description(
      'Writes the receipt of a decision, which proves without the service what was decided. Guide: docs/receipts.md',
    )
    .option('--since <n>', 'also prove that the log continues its checkpoint of this size')
    .option('--output <file>', 'write to this file instead of stdout');
  examples(command, '$ postern decisions receipt dec_… --output dec.tlog-proof');
  calls<{ since?: string; output?: string }>(command, context, async ({ postern, terminal }, options, id) => {
    const receipt = await postern.getDecisionProof(
      id,
      options.since === undefined ? {} : { since: Number(options.since) },
    );
    const output = openOutput(terminal, options.output);
    await output.write(receipt);
    await output.end();
  });
}

interface Export extends Filter {
  format: string;
  robots?: Filtered['robots'];
  output?: string;
}

const LINE_FEED = 10;
const POLL_EVERY_MS = 1_000;
const PAGE = 100;

/** Yields the last decisions, then every new one, oldest first. */
async function* follow(
  terminal: Terminal,
  postern: Postern,
  query: Filtered,
  last: number,
): AsyncGenerator<LoggedDecision> {
  const { data } = await postern.listDecisions({ ...query, limit: Math.min(Math.max(last, 1), PAGE) });
  let newest = data[0]?.id ?? '';
  yield* data.slice(0, last).toReversed();
  for (;;) {
    await pause(POLL_EVERY_MS, undefined, { signal: terminal.signal });
    const fresh: LoggedDecision[] = [];
    // Ids sort in the order of the decisions.
    for await (const decision of postern.listDecisions({ ...query, limit: PAGE })) {
      if (decision.id <= newest) break;
      fresh.push(decision);
    }
    newest = fresh[0]?.id ?? newest;
    yield* fresh.toReversed();
  }
}

const nameVisitor = ({ requesterId, crawler, context }: LoggedDecision): string =>
  requesterId ?? crawler ?? (context?.userAgent === undefined ? 'anonymous' : findProgram(context.userAgent));

function toLine(terminal: Terminal, decision: LoggedDecision): string {
  const { created, allowed, reason, externalId, url, permission, purpose } = decision;
  const mark = allowed ? paint(terminal, 'green', '✓') : paint(terminal, 'red', '✗');
  const request = [permission, purpose].filter((text) => text !== null).join(' for ');
  const details = [nameVisitor(decision), externalId ?? url ?? '', request, allowed ? '' : String(reason)];
  return `${created}  ${mark}  ${plain(details.filter((text) => text !== '').join('  '))}\n`;
}

/** `postern decisions`: the decision log as it grows, and the whole of it. */
import { setTimeout as pause } from 'node:timers/promises';
import { type Command, Option } from 'commander';
import { type Context, does, examples } from './command.ts';
import { type Answer, type Connection, connect } from './connection.ts';
import { outputOf } from './content.ts';
import { EXIT } from './outcome.ts';
import { paint, plain, progress, type Terminal } from './terminal.ts';

interface Filter {
  content?: string;
  requester?: string;
  policy?: string;
  allowed?: boolean;
  denied?: boolean;
  reason?: string;
  from?: string;
  to?: string;
}

const filtered = (command: Command): Command =>
  command
    .option('--content <id>', 'only about this item')
    .option('--requester <id>', 'only for this requester')
    .option('--policy <id>', 'only by this policy')
    .addOption(new Option('--allowed', 'only those that allow').conflicts('denied'))
    .option('--denied', 'only those that deny')
    .option('--reason <reason>', 'only denials for this reason');

const queryOf = ({ content, requester, policy, allowed, denied, reason, from, to }: Filter) => ({
  contentId: content,
  requesterId: requester,
  policyId: policy,
  allowed: allowed === true ? true : denied === true ? false : undefined,
  reason,
  from,
  to,
});

export function decisionsCommand(parent: Command, context: Context): void {
  const group = parent.command('decisions').description('The decision log: follow it, take it away.');
  const { terminal } = context;

  const tail = filtered(group.command('tail').description('Shows decisions as they are made, until Ctrl-C.')).option(
    '--last <n>',
    'begin with this many that were made before',
    '10',
  );
  examples(
    tail,
    '$ postern decisions tail --denied',
    '$ postern decisions tail --requester gptbot --json | jq .reason',
  );
  does<Filter & { last: string }>(tail, context, async (options) => {
    const connection = await connect(terminal, options);
    for await (const decision of follow(terminal, connection, queryOf(options), Number(options.last))) {
      await terminal.out(options.json === true ? `${JSON.stringify(decision)}\n` : line(terminal, decision));
    }
    return EXIT.ok;
  });

  const take = filtered(
    group.command('export').description('Writes a whole selection, the newest first, as it was when the export began.'),
  )
    .option('--from <moment>', 'from this day or moment on')
    .option('--to <moment>', 'up to this day, included, or this moment')
    .addOption(new Option('--format <format>', 'how they are written').choices(['ndjson', 'csv']).default('ndjson'))
    .option('--output <file>', 'write to this file instead of stdout');
  examples(
    take,
    '$ postern decisions export --from 2026-11-01 --to 2026-11-30 --format csv --output november.csv',
    '$ postern decisions export --denied | wc -l',
  );
  does<Filter & { format: string; output?: string }>(take, context, async (options) => {
    const connection = await connect(terminal, options);
    const accept = options.format === 'csv' ? 'text/csv' : 'application/x-ndjson';
    const stream = await connection.stream('/v1/access/decisions', accept, queryOf(options));
    const output = outputOf(terminal, options.output);
    const shown = progress(terminal, 'decision');
    let lines = 0;
    for await (const chunk of stream) {
      await output.write(chunk);
      for (const byte of chunk) if (byte === LINE_FEED) lines++;
      shown.show(lines);
    }
    shown.end();
    await output.end();
    return EXIT.ok;
  });
}

const LINE_FEED = 10;
const LOOK_EVERY_MS = 1_000;
const PAGE = 100;

/** The last ones, then every new one, in the order they were made. */
async function* follow(
  terminal: Terminal,
  connection: Connection,
  query: object,
  last: number,
): AsyncGenerator<Answer> {
  const path = '/v1/access/decisions';
  const first = await connection.ask('GET', path, { query: { ...query, limit: Math.min(Math.max(last, 1), PAGE) } });
  let newest: string = first.data[0]?.id ?? '';
  yield* first.data.slice(0, last).reverse();
  for (;;) {
    await pause(LOOK_EVERY_MS, undefined, { signal: terminal.signal });
    const fresh: Answer[] = [];
    // Ids are in the order of the decisions.
    for await (const decision of connection.each(path, { ...query, limit: PAGE })) {
      if (decision.id <= newest) break;
      fresh.push(decision);
    }
    newest = fresh[0]?.id ?? newest;
    yield* fresh.reverse();
  }
}

function line(
  terminal: Terminal,
  { created, allowed, reason, requesterId, externalId, contentId, permission, purpose }: Answer,
): string {
  const answer = allowed ? paint(terminal, 'green', '✓') : paint(terminal, 'red', '✗');
  const what = [permission, purpose].filter((one) => one != null).join(' for ');
  const why = allowed ? '' : `  ${reason}`;
  return `${created}  ${answer}  ${plain(`${requesterId ?? 'anonymous'}  ${externalId ?? contentId}${what === '' ? '' : `  ${what}`}${why}`)}\n`;
}

/** `postern statements`: lists, shows, finalizes, verifies and reconciles the statements of licenses. */
import { createReadStream, readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { type Command, Option } from 'commander';
import { queryText } from '../../client/src/address.ts';
import type { Answered } from '../../client/src/types.ts';
import { type Context, calls, does, examples, idArgument } from './command.ts';
import { connect } from './connection.ts';
import { EXIT, misused } from './outcome.ts';
import { openOutput } from './output.ts';
import { confirmed } from './prompts.ts';
import { readArchived } from './statements/archived.ts';
import { reconcileCommand } from './statements/reconcile.ts';
import { findDifferences, type Verified } from './statements/verify.ts';
import { json, paint, printList, report } from './terminal.ts';

type Statement = Answered<'getStatement'>;

export function statementsCommand(parent: Command, context: Context): void {
  const group = parent
    .command('statements')
    .description('Statements of licenses with terms: list, show, finalize, verify, reconcile.');
  listCommand(group, context);
  showCommand(group, context);
  finalizeCommand(group, context);
  verifyCommand(group, context);
  reconcileCommand(group, context);
}

function listCommand(parent: Command, context: Context): void {
  const command = parent
    .command('list')
    .description('Lists the statements whose period ends in a month, quarter or year; by default this month.')
    .option('--period <period>', 'such as 2026-10, 2026-Q4 or 2026')
    .option('--requester <id>', 'only statements of this requester')
    .option('--license <id>', 'only statements of this license')
    .option('--csv', 'print CSV, a row for each statement');
  examples(
    command,
    '$ postern statements list --period 2026-10',
    '$ postern statements list --requester acme --json',
    '$ postern statements list --period 2026-10 --csv > october.csv',
  );
  interface Filter {
    period?: string;
    requester?: string;
    license?: string;
    csv?: boolean;
  }
  calls<Filter>(command, context, async ({ postern, terminal }, options) => {
    const { period, requester: requesterId, license: licenseId } = options;
    if (options.csv === true) {
      const path = `/v1/statements${queryText({ period, requesterId, licenseId })}`;
      const answer = await postern.open(path, { accept: ACCEPT.csv });
      return terminal.out(await answer.text());
    }
    const statements = await Array.fromAsync(postern.listStatements({ period, requesterId, licenseId, limit: 100 }));
    await printList(terminal, options, statements, {
      id: ({ id }) => id,
      requester: ({ requesterId: holder }) => holder,
      contract: ({ terms, licenseId: license }) => terms.reference ?? license,
      period: ({ period: label }) => label,
      status: ({ status }) => status,
      units: ({ units }) => units,
      total: ({ total, terms }) => `${total.amount} ${terms.currency}`,
    });
  });
}

const ACCEPT = { json: 'application/json', csv: 'text/csv', html: 'text/html' };

function showCommand(parent: Command, context: Context): void {
  const command = parent
    .command('show')
    .addArgument(idArgument())
    .description('Writes a statement: as JSON, as CSV with a row for each line, or as a page to print.')
    .addOption(new Option('--format <format>', 'format').choices(Object.keys(ACCEPT)).default('json'))
    .option('--output <file>', 'write to this file instead of stdout');
  examples(command, '$ postern statements show stm_… --format html --output acme-2026-10.html');
  interface Options {
    format: keyof typeof ACCEPT;
    output?: string;
  }
  calls<Options>(command, context, async ({ postern, terminal }, { format, output: file }, id = '') => {
    const path = `/v1/statements/${encodeURIComponent(id)}`;
    const answer = await postern.open(path, { accept: ACCEPT[format] });
    const text = await answer.text();
    const output = openOutput(terminal, file);
    await output.write(format === 'json' ? json(JSON.parse(text)) : text);
    await output.end();
  });
}

function finalizeCommand(parent: Command, context: Context): void {
  const command = parent
    .command('finalize')
    .addArgument(idArgument())
    .description('Makes a statement final. It never changes again; later differences go to the next one.')
    .option('--yes', 'skip the confirmation');
  examples(command, '$ postern statements finalize stm_…');
  calls<{ yes?: boolean }>(command, context, async ({ postern, terminal }, options, id = '') => {
    const { period, requesterId, total, terms } = await postern.getStatement(id);
    const question = `Finalize the statement ${period} of ${requesterId} over ${total.amount} ${terms.currency}?`;
    if (!(await confirmed(terminal, question, options.yes))) return EXIT.failed;
    await report(terminal, options, await postern.finalizeStatement(id), `${id} is final.\n`);
    return EXIT.ok;
  });
}

interface VerifyOptions {
  statement?: string;
  decisions?: string;
  archive?: string;
}

function verifyCommand(parent: Command, context: Context): void {
  const command = parent
    .command('verify')
    .argument('[id]', 'statement; or name a file with --statement')
    .description(
      'Counts a statement again from the decision log and compares units, decisions and SHA-256 of each line. With files, it needs no service.',
    )
    .option('--statement <file>', 'the statement, as `show` writes it in JSON')
    .option('--decisions <file>', 'the decisions, as `postern decisions export` writes them in NDJSON')
    .option('--archive <folder>', 'also counts decisions that `postern archive` moved there');
  examples(
    command,
    '$ postern statements verify stm_…',
    '$ postern statements verify --statement acme-2026-10.json --decisions october.ndjson',
    '$ postern statements verify --statement acme-2026-01.json --archive /srv/archive',
  );
  does<VerifyOptions>(command, context, async (options, id) => {
    const { terminal } = context;
    if ((id === undefined) === (options.statement === undefined)) {
      throw misused('Name either the id of a statement, or a file with --statement.');
    }
    const statement =
      options.statement === undefined
        ? await (await connect(terminal, options)).getStatement(id)
        : readStatement(options.statement);
    const archived = options.archive === undefined ? [] : await readArchived(options.archive, statement);
    const verified = await findDifferences(statement, await decisionsOf(statement, terminal, options), archived);
    await terminal.out(options.json === true ? json(verified) : toText(terminal, statement, verified));
    return verified.differences.length === 0 ? EXIT.ok : EXIT.failed;
  });
}

function readStatement(file: string): Statement {
  try {
    const value = JSON.parse(readFileSync(file, 'utf8')) as Statement;
    if (value.object === 'statement') return value;
  } catch (error) {
    throw misused(`Cannot read ${file}: ${(error as Error).message}`);
  }
  throw misused(`${file} is not a statement in JSON.`);
}

/** Returns NDJSON: a file, or an export of the service. With a statement's file, the archive alone is enough. */
async function decisionsOf(
  statement: Statement,
  terminal: Context['terminal'],
  options: VerifyOptions & { url?: string },
) {
  if (options.decisions !== undefined) return createReadStream(options.decisions);
  if (options.statement !== undefined && options.archive !== undefined) return Readable.from([]);
  return exported(await connect(terminal, options), statement);
}

async function exported(postern: Awaited<ReturnType<typeof connect>>, { requesterId, from, to }: Statement) {
  const query = new URLSearchParams({ requesterId, from, to, allowed: 'true' });
  const { body } = await postern.open(`/v1/access/decisions?${query.toString()}`, { accept: 'application/x-ndjson' });
  if (body === null) throw misused('The service sent no decisions.');
  return body;
}

function toText(terminal: Parameters<typeof paint>[0], statement: Statement, verified: Verified): string {
  const { decisions, deleted, missing, differences } = verified;
  const head = `${statement.id}: ${decisions} decisions counted again${deleted === 0 ? '' : `, ${deleted} of deleted items cannot be`}\n`;
  if (differences.length === 0) return `${head}${paint(terminal, 'green', '✓')} every line agrees\n`;
  const lines = differences.map(
    ({ line, field, stated, counted }) =>
      `${paint(terminal, 'red', '✗')} ${line}: ${field} is ${stated}, counted ${counted}`,
  );
  // A final statement keeps what was counted: nothing in it says what was deleted later.
  const note =
    missing === 0
      ? ''
      : `${missing} of its decisions are missing. Their items were deleted since, or they left the log: without them, only the amounts can be verified.\n`;
  return `${head}${lines.join('\n')}\n${note}`;
}

/** `postern statements`: lists, shows, finalizes, verifies and reconciles the statements of licenses. */
import { Readable } from 'node:stream';
import { type Command, Option } from 'commander';
import { queryText } from '../../../client/src/address.ts';
import { PosternError } from '../../../client/src/errors.ts';
import type { Answered } from '../../../client/src/types.ts';
import { invocation } from '../../lib/invocation.ts';
import { type CommandContext, calls, does, examples, idArgument } from '../command.ts';
import { connect } from '../connection.ts';
import { EXIT, misused } from '../outcome.ts';
import { openCsv, openOutput } from '../output.ts';
import { confirmed } from '../prompts.ts';
import { openText, readText } from '../read-file.ts';
import { json, printList, report } from '../terminal.ts';
import { readArchived } from './archived.ts';
import { compareHeads } from './compare.ts';
import { receiptCommand } from './receipt.ts';
import { reconcileCommand } from './reconcile.ts';
import { type DecisionSources, findDifferences } from './verify.ts';
import { toNotLooked, toText } from './verify-text.ts';

type Statement = Answered<'getStatement'>;

export function statementsCommand(parent: Command, context: CommandContext): void {
  const group = parent
    .command('statements')
    .description('Statements of licenses with terms: list, show, finalize, verify, reconcile, get receipts.');
  listCommand(group, context);
  showCommand(group, context);
  finalizeCommand(group, context);
  verifyCommand(group, context);
  reconcileCommand(group, context);
  receiptCommand(group, context);
}

function listCommand(parent: Command, context: CommandContext): void {
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
      const output = await openCsv(terminal, undefined);
      await output.write(await answer.text());
      return output.end();
    }
    const statements = await Array.fromAsync(postern.listStatements({ period, requesterId, licenseId, limit: 100 }));
    await printList(terminal, options, statements, {
      id: ({ id }) => id,
      requester: ({ requesterId: holder }) => holder,
      contract: ({ terms, licenseId: license }) => terms.reference ?? license,
      period: ({ period: label }) => label,
      status: ({ status }) => status,
      units: ({ units }) => units,
      total: totalText,
    });
  });
}

/** The total; of a period that is not whole, also how its minimum, fee and quota count. */
function totalText({ total, terms, partialPeriod = null }: Answered<'getStatement'>): string {
  const amount = `${total.amount} ${terms.currency}`;
  if (partialPeriod === null) return amount;
  const { days, of, prorated, minimumMicros, flatMicros, quotaUnits } = partialPeriod;
  if (minimumMicros === null && flatMicros === null && quotaUnits === null) return amount;
  return `${amount}, ${days}/${of} days ${prorated ? 'prorated' : 'in full'}`;
}

const ACCEPT = { json: 'application/json', csv: 'text/csv', html: 'text/html', ndjson: 'application/x-ndjson' };

function showCommand(parent: Command, context: CommandContext): void {
  const command = parent
    .command('show')
    .addArgument(idArgument())
    .description(
      'Writes a statement: as JSON, as CSV with a row for each line, as a page to print, or its decisions as NDJSON.',
    )
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
    const output = format === 'csv' ? await openCsv(terminal, file) : openOutput(terminal, file);
    await output.write(format === 'json' ? json(JSON.parse(text)) : text);
    await output.end();
  });
}

function finalizeCommand(parent: Command, context: CommandContext): void {
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
  url?: string;
  statement?: string;
  decisions?: string;
  archive?: string;
}

function verifyCommand(parent: Command, context: CommandContext): void {
  const command = parent
    .command('verify')
    .argument('[id]', 'statement; or name a file with --statement')
    .description(
      'Counts a statement again from the decision log and compares units, decisions and SHA-256 of each line. With files, it needs no service.',
    )
    .option('--statement <file>', 'the statement, as `show` writes it in JSON')
    .option('--decisions <file>', 'the decisions, as `postern decisions export` or `show --format ndjson` writes them')
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
        : await readStatement(options.statement);
    const archived = options.archive === undefined ? [] : await readArchived(options.archive, statement);
    const sources = await openSources(statement, terminal, options);
    const verified = await findDifferences(statement, { ...sources, archived });
    verified.differences.push(...(sources.service === undefined ? [] : compareHeads(statement, sources.service)));
    const notLooked = toNotLooked(verified, options, sources);
    await terminal.out(
      options.json === true
        ? json({ ...verified, notLooked })
        : toText(terminal, statement, { verified, notLooked, hasEvidence: sources.hasEvidence }),
    );
    return verified.differences.length === 0 ? EXIT.ok : EXIT.failed;
  });
}

interface Found extends DecisionSources {
  /** The statement, as the service has it. */
  service?: Statement;
  hasEvidence?: boolean;
}

/** Returns NDJSON: a file, or what the service has. With a statement's file, the archive alone is enough. */
async function openSources(
  statement: Statement,
  terminal: CommandContext['terminal'],
  options: VerifyOptions,
): Promise<Found> {
  if (options.decisions !== undefined) return { decisions: await openText(options.decisions) };
  if (options.statement !== undefined && options.archive !== undefined) return { decisions: Readable.from([]) };
  const postern = await connect(terminal, options);
  const found: Found = {
    decisions: await exported(postern, statement),
    evidence: readEvidence(postern, statement, () => (found.hasEvidence = true)),
    service: await postern.getStatement(statement.id),
  };
  return found;
}

const NDJSON = 'application/x-ndjson';

async function exported(postern: Awaited<ReturnType<typeof connect>>, { requesterId, from, to }: Statement) {
  const query = new URLSearchParams({ requesterId, from, to, allowed: 'true' });
  const { body } = await postern.open(`/v1/access/decisions?${query.toString()}`, { accept: NDJSON });
  if (body === null) throw misused('The service sent no decisions.');
  return body;
}

/** Yields nothing where the service cannot read its archive, or is of an earlier version. */
async function* readEvidence(
  postern: Awaited<ReturnType<typeof connect>>,
  { id }: Statement,
  onFound: () => void,
): AsyncGenerator<Uint8Array> {
  try {
    const answer = await postern.open(`/v1/statements/${encodeURIComponent(id)}`, { accept: NDJSON });
    if (answer.headers.get('content-type')?.startsWith(NDJSON) !== true || answer.body === null) {
      await answer.body?.cancel();
      return;
    }
    onFound();
    yield* answer.body;
  } catch (error) {
    if (!(error instanceof PosternError && error.status === 503)) throw error;
  }
}

/** Reads the file that `postern statements show` wrote; a damaged file is refused by its field. */
async function readStatement(file: string): Promise<Statement> {
  const value = readJson(file);
  const [{ StatementAnswer }, { lazyCheck }, { findProblems }] = await Promise.all([
    import('../../reports/statements/schema.ts'),
    import('../../api/http/validate.ts'),
    import('../../api/http/problems.ts'),
  ]);
  if (lazyCheck(StatementAnswer)(value)) return value;
  const [{ message }] = findProblems(StatementAnswer, value, 'statement');
  throw misused(`${file} is not a whole statement: ${message} ${again()}`);
}

function readJson(file: string): unknown {
  const text = readText(file);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw misused(`${file} is not JSON: ${(error as Error).message}. ${again()}`);
  }
}

const again = (): string => `Save it again: ${invocation()} statements show ID --output FILE.`;

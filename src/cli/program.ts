/**
 * The command `postern`: all its commands, and how they end. The exit status is always one of `EXIT`. Failures are
 * sentences on stderr; a stack trace means a bug.
 */
import { Command, CommanderError } from 'commander';
import { StartRefused } from '../db/start-refused.ts';
import { VERSION } from '../lib/version.ts';
import { archiveCommand } from './archive.ts';
import { attentionCommand } from './attention.ts';
import { auditCommand } from './audit.ts';
import { backupCommand, restoreCommand } from './backup.ts';
import { checkCommand } from './check.ts';
import { collectionsCommand } from './collections/command.ts';
import { type CommandContext, examples } from './command.ts';
import { completionCommand } from './completion.ts';
import { getAddress, toCommandError } from './connection.ts';
import { consoleCommand } from './console.ts';
import { contentCommand } from './content.ts';
import { crawlersCommand } from './crawlers.ts';
import { decisionsCommand } from './decisions.ts';
import { doctorCommand } from './doctor.ts';
import { loadEnvFile } from './env-file.ts';
import { eraseCommand } from './erase.ts';
import { initCommand } from './init.ts';
import { keysCommand } from './keys.ts';
import { licensesCommand } from './licenses.ts';
import { logKeysCommand } from './log-keys.ts';
import { migrateStoreCommand } from './migrate-store.ts';
import { CommandError, EXIT, type ExitStatus } from './outcome.ts';
import { policiesCommand } from './policies/command.ts';
import { programsCommand } from './programs.ts';
import { requestersCommand } from './requesters.ts';
import { serveCommand } from './serve.ts';
import { signalsCommand } from './signals/command.ts';
import { signingKeysCommand } from './signing-keys.ts';
import { statementsCommand } from './statements/command.ts';
import { statusCommand } from './status.ts';
import { plainLines, type Terminal } from './terminal.ts';
import { usageCommand } from './usage.ts';
import { usersCommand } from './users.ts';
import { verifyCommand } from './verify.ts';
import { visitorsCommand } from './visitors.ts';
import { webhooksCommand } from './webhooks.ts';
import { witnessCommand } from './witness.ts';

const COMMANDS = [
  initCommand,
  serveCommand,
  doctorCommand,
  auditCommand,
  checkCommand,
  contentCommand,
  collectionsCommand,
  policiesCommand,
  requestersCommand,
  eraseCommand,
  crawlersCommand,
  licensesCommand,
  signalsCommand,
  statementsCommand,
  usageCommand,
  visitorsCommand,
  programsCommand,
  attentionCommand,
  statusCommand,
  decisionsCommand,
  verifyCommand,
  keysCommand,
  consoleCommand,
  usersCommand,
  signingKeysCommand,
  logKeysCommand,
  witnessCommand,
  webhooksCommand,
  backupCommand,
  restoreCommand,
  migrateStoreCommand,
  archiveCommand,
  completionCommand,
];

const STATUSES = `
Exit status: ${EXIT.ok} success; ${EXIT.failed} refused by the service, or failed; ${EXIT.usage} invalid command line, file or setting;
${EXIT.denied} check: access is denied; ${EXIT.interrupted} Ctrl-C.`;

const SOURCES = `
The service is at POSTERN_URL. The key comes from POSTERN_KEY, from the file that POSTERN_KEY_FILE names, or from a
prompt; never from the command line, which other users can see. Data goes to stdout, messages go to stderr.`;

export function buildProgram(context: CommandContext): Command {
  const { terminal } = context;
  const program = new Command('postern')
    .description('Decides who may have what content, on which terms, and can prove what it decided.')
    .version(VERSION, '-V, --version', 'show the version')
    .option('--url <url>', 'address of the service (default: POSTERN_URL, or http://127.0.0.1:8080)')
    .option('--json', 'answer in JSON')
    .option(
      '--env-file <file>',
      'read NAME=value lines from this file; the environment overrides them (also: POSTERN_ENV_FILE)',
    )
    .helpOption('-h, --help', 'show this help')
    .helpCommand(false)
    .addHelpText('after', `${SOURCES}\n${STATUSES}`)
    .showHelpAfterError('(See --help.)')
    .exitOverride()
    .configureHelp({
      showGlobalOptions: true,
      subcommandDescription: (command) => command.summary() || (command.description().split(/(?<=\.) /)[0] ?? ''),
    })
    .configureOutput({
      writeOut: (text) => void terminal.out(text),
      writeErr: (text) => terminal.err(text),
      getOutHelpWidth: () => Math.min(terminal.width, HELP_WIDTH_MAX),
      getErrHelpWidth: () => Math.min(terminal.width, HELP_WIDTH_MAX),
      getOutHasColors: () => terminal.color,
    });
  examples(
    program,
    '$ postern init && postern serve --env-file postern.env',
    '$ postern content import https://example.com/sitemap.xml',
    '$ postern policies apply policies/*.yaml',
    '$ postern check article-123 --requester gptbot --permission training --explain',
    '$ postern usage --period 7d',
  );
  for (const add of COMMANDS) add(program, context);
  helpCommand(program);
  inherit(program);
  return program;
}

/** The one of commander knows no commands of commands. */
function helpCommand(program: Command): void {
  const command = program.command('help').argument('[command...]').description('Shows the help of a command.');
  examples(command, '$ postern help', '$ postern help policies apply');
  command.action((names: string[]) => {
    const found = names.reduce<Command>(
      (parent, name) =>
        parent.commands.find((one) => one.name() === name) ?? parent.error(`error: unknown command '${name}'`),
      program,
    );
    found.help();
  });
}

const HELP_WIDTH_MAX = 110;

/** Gives subcommands the error handling and output of their parents. */
function inherit(parent: Command): void {
  for (const command of parent.commands) {
    command.copyInheritedSettings(parent);
    inherit(command);
  }
}

/** Runs a command line (without `node` and the file). Returns its exit status. */
export async function run(
  args: readonly string[],
  terminal: Terminal,
  serve: CommandContext['serve'],
): Promise<ExitStatus> {
  let status: ExitStatus = EXIT.ok;
  const ended = (with_: ExitStatus): void => {
    status = with_;
  };
  const program = buildProgram({ terminal, serve, ended });
  program.hook('preAction', (_program, command) => {
    const file = (command.optsWithGlobals() as { envFile?: string }).envFile ?? terminal.env.POSTERN_ENV_FILE;
    if (file !== undefined) loadEnvFile(file, terminal.env);
  });
  try {
    if (args.length === 0) {
      program.outputHelp({ error: true });
      return EXIT.usage;
    }
    await program.parseAsync([...args], { from: 'user' });
    return status;
  } catch (error) {
    return endWith(error, terminal, () => getAddress(terminal, (program.opts() as { url?: string }).url));
  }
}

/** Writes the message of an expected error and returns its exit status. Throws any other error. */
function endWith(error: unknown, terminal: Terminal, getUrl: () => string): ExitStatus {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  if (error instanceof Error && error.name === 'AbortError') return EXIT.interrupted;
  const expected = error instanceof CommandError ? error : toCommandError(error, getUrl);
  if (expected !== undefined) {
    terminal.err(`${plainLines(expected.message)}\n`);
    return expected.status;
  }
  if (!(error instanceof StartRefused)) throw error;
  terminal.err(`${error.message}\n`);
  return EXIT.failed;
}

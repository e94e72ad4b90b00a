/**
 * The command `postern`: every command under one roof, and how each of them ends. Exit statuses are those of `EXIT`,
 * whatever happens; what goes wrong is said on stderr in a sentence, and a trace is shown for faults of our own only.
 */
import { Command, CommanderError } from 'commander';
import { VERSION } from '../version.ts';
import { archiveCommand } from './archive.ts';
import { backupCommand } from './backup.ts';
import { checkCommand } from './check.ts';
import { type Context, examples } from './command.ts';
import { completionCommand } from './completion.ts';
import { contentCommand } from './content.ts';
import { decisionsCommand } from './decisions.ts';
import { doctorCommand } from './doctor.ts';
import { initCommand } from './init.ts';
import { keysCommand } from './keys.ts';
import { licensesCommand } from './licenses.ts';
import { migrateStoreCommand } from './migrate-store.ts';
import { CommandError, EXIT, type ExitStatus } from './outcome.ts';
import { policiesCommand } from './policies.ts';
import { requestersCommand } from './requesters.ts';
import { restoreCommand } from './restore.ts';
import { serveCommand } from './serve.ts';
import type { Terminal } from './terminal.ts';
import { usageCommand } from './usage.ts';
import { webhooksCommand } from './webhooks.ts';

const ALL = [
  initCommand,
  serveCommand,
  doctorCommand,
  checkCommand,
  contentCommand,
  policiesCommand,
  requestersCommand,
  licensesCommand,
  usageCommand,
  decisionsCommand,
  keysCommand,
  webhooksCommand,
  backupCommand,
  restoreCommand,
  migrateStoreCommand,
  archiveCommand,
  completionCommand,
];

const STATUSES = `
Exit status: ${EXIT.ok} done; ${EXIT.failed} refused by the service, or failed; ${EXIT.usage} the command line, a file or a setting is not as it should be;
${EXIT.denied} the answer of check is no; ${EXIT.interrupted} Ctrl-C.`;

const SOURCES = `
The service is POSTERN_URL. The key comes from POSTERN_KEY, from the file that POSTERN_KEY_FILE names, or from a
question; never from the command line, which others can see. Data goes to stdout, everything else to stderr.`;

export function buildProgram(context: Context): Command {
  const { terminal } = context;
  const program = new Command('postern')
    .description('Decides who may have what content, on which terms, and can prove what it decided.')
    .version(VERSION, '-V, --version', 'show the version')
    .option('--url <url>', 'address of the service (default: POSTERN_URL, or http://127.0.0.1:8080)')
    .option('--json', 'answer in JSON')
    .option(
      '--env-file <file>',
      'read variables from this file, NAME=value lines; those of the environment win (also: POSTERN_ENV_FILE)',
    )
    .helpOption('-h, --help', 'show this help')
    .helpCommand('help [command]', 'show the help of a command')
    .addHelpText('after', `${SOURCES}\n${STATUSES}`)
    .showHelpAfterError('(--help shows what there is.)')
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
      getOutHasColors: () => terminal.colour,
    });
  examples(
    program,
    '$ postern init && postern serve --env-file postern.env',
    '$ postern content import https://example.com/sitemap.xml',
    '$ postern policies apply policies/*.yaml',
    '$ postern check article-123 --requester gptbot --permission training --explain',
    '$ postern usage --period 7d',
  );
  for (const add of ALL) add(program, context);
  inherit(program);
  return program;
}

const HELP_WIDTH_MAX = 110;

/** Commands below know how to end and where to write as their parents do. */
function inherit(parent: Command): void {
  for (const command of parent.commands) {
    command.copyInheritedSettings(parent);
    inherit(command);
  }
}

/** Runs a command line (without `node` and the file). Returns its exit status. */
export async function run(args: readonly string[], terminal: Terminal, serve: Context['serve']): Promise<ExitStatus> {
  let status: ExitStatus = EXIT.ok;
  const ended = (with_: ExitStatus): void => {
    status = with_;
  };
  const program = buildProgram({ terminal, serve, ended });
  program.hook('preAction', (_program, command) => {
    const file = (command.optsWithGlobals() as { envFile?: string }).envFile ?? terminal.env.POSTERN_ENV_FILE;
    if (file !== undefined) loadVariables(file);
  });
  try {
    if (args.length === 0) {
      program.outputHelp({ error: true });
      return EXIT.usage;
    }
    await program.parseAsync([...args], { from: 'user' });
    return status;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    if (error instanceof CommandError) {
      terminal.err(`${error.message}\n`);
      return error.status;
    }
    if (isInterrupt(error)) return EXIT.interrupted;
    throw error;
  }
}

function loadVariables(file: string): void {
  try {
    process.loadEnvFile(file);
  } catch (error) {
    throw new CommandError(EXIT.usage, `${file} cannot be read (${(error as NodeJS.ErrnoException).code}).`, {
      cause: error,
    });
  }
}

const isInterrupt = (error: unknown): boolean => error instanceof Error && error.name === 'AbortError';

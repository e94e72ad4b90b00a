/** `postern signals`: lists sites, shows and writes their files, and compares these with the live ones. */
import { Argument, type Command } from 'commander';
import type { Postern } from '../../../client/src/client.ts';
import { type CommandContext, calls, examples } from '../command.ts';
import { printList } from '../terminal.ts';
import { checkSiteCommand } from './check.ts';
import { FILES, type FileKind } from './files.ts';
import { writeCommand } from './write.ts';

export function signalsCommand(parent: Command, context: CommandContext): void {
  const group = parent
    .command('signals')
    .description('The files of sites that say to machines what the policies decide: list, show, write, check.');
  listCommand(group, context);
  showCommand(group, context);
  writeCommand(group, context);
  checkSiteCommand(group, context);
}

function listCommand(parent: Command, context: CommandContext): void {
  const command = parent.command('list').description('Lists sites with what each one publishes.');
  examples(command, '$ postern signals list');
  calls(command, context, async ({ postern, terminal }, options) => {
    const sites = await Array.fromAsync(postern.listSites({ limit: 100 }));
    await printList(terminal, options, sites, {
      site: ({ host }) => host,
      'robots.txt': ({ signals }) => signals.robots,
      'license.xml': ({ signals }) => onOff(signals.license),
      'tdmrep.json': ({ signals }) => onOff(signals.tdmrep),
      public: ({ signals }) => (signals.public ? 'yes' : 'no'),
      contact: ({ contact }) => contact,
    });
  });
}

const onOff = (is: boolean): string => (is ? 'on' : 'off');

function showCommand(parent: Command, context: CommandContext): void {
  const command = parent
    .command('show')
    .addArgument(new Argument('<kind>', 'the file').choices(Object.keys(FILES)))
    .argument('<host>', 'the site')
    .description('Shows a file of a site as Postern renders it.')
    .option('--as-of <time>', 'what was served at this past time');
  examples(
    command,
    '$ postern signals show robots.txt www.example.com',
    '$ postern signals show robots.txt www.example.com --as-of 2026-11-01T00:00:00Z',
  );
  calls<{ asOf?: string }>(command, context, async ({ postern, terminal }, { asOf }, kind = '', host = '') => {
    await terminal.out(await read(postern, kind as FileKind, host, asOf));
  });
}

const read = (postern: Postern, kind: FileKind, host: string, asOf: string | undefined): Promise<string> =>
  FILES[kind].read(postern, host, { asOf });

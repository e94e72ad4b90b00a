/** `postern signals check`: compares the live files of a site with the intended ones, and ends with what it found. */
import type { Command } from 'commander';
import type { Answered } from '../../../client/src/types.ts';
import { paint, plain } from '../../lib/terminal-text.ts';
import { type CommandContext, calls, examples } from '../command.ts';
import { getAddress, toCommandError } from '../connection.ts';
import { CommandError, EXIT, type ExitStatus, misused } from '../outcome.ts';
import { print, type Terminal } from '../terminal.ts';

type Drift = Answered<'checkSignalsDrift'>;
type CheckedFile = Drift['files'][number];

/** Statuses of its own: a script may not take a service that is down for a site that differs. */
const STATUSES: Record<string, ExitStatus> = { same: EXIT.ok, drifted: EXIT.failed, unreachable: EXIT.usage };

export function checkSiteCommand(parent: Command, context: CommandContext): void {
  const command = parent
    .command('check')
    .argument('<url>', 'the site, such as https://www.example.com')
    .description(
      'Fetches the live files of a site and compares them with the intended ones by meaning. The service fetches them; the site must be registered there.',
    )
    .option('--lines', 'also show the texts beside each other')
    .addHelpText('after', '\nExit status: 0 the same; 1 they differ; 2 could not look.');
  examples(
    command,
    '$ postern signals check https://www.example.com',
    '$ postern signals check www.example.com --lines',
  );
  calls<{ lines?: boolean; url?: string }>(command, context, async ({ postern, terminal }, options, url = '') => {
    const drift = await postern.checkSignalsDrift(readHost(url)).catch((error: unknown) => {
      const known = toCommandError(error, () => getAddress(terminal, options.url));
      throw known === undefined ? error : new CommandError(EXIT.usage, known.message, { cause: error });
    });
    await print(terminal, options, drift, () => toText(terminal, drift, options.lines === true));
    return STATUSES[drift.state] ?? EXIT.usage;
  });
}

function readHost(text: string): string {
  const url = text.includes('://') ? text : `https://${text}`;
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return new URL(url).host;
  throw misused(`The site must be a URL such as https://www.example.com, not "${plain(text)}".`);
}

const MARKS = { same: ' ', intended: '-', live: '+', gap: '·' } as const;
const TONES = { same: 'green', drifted: 'red', unreachable: 'yellow', off: 'dim' } as const;

function toText(terminal: Terminal, { host, files }: Drift, withLines: boolean): string {
  const parts = files.map((file) => {
    const { kind, state, message, differences, differenceCount } = file;
    const rest = differenceCount - differences.length;
    return [
      `${kind}: ${paint(terminal, TONES[state], state)}${message === null ? '' : ` (${plain(message)})`}`,
      ...differences.map((one) => `  ${plain(one.message)}`),
      ...(rest > 0 ? [`  and ${rest} more`] : []),
      ...(withLines ? formatLines(terminal, file) : []),
    ].join('\n');
  });
  return `${plain(host)}\n${parts.join('\n')}\n`;
}

const formatLines = (terminal: Terminal, { lines }: CheckedFile): string[] =>
  lines.length === 0
    ? []
    : [
        '  - intended, + live',
        ...lines.map(({ kind, text }) => {
          const line = `  ${MARKS[kind]} ${plain(text)}`;
          if (kind === 'intended') return paint(terminal, 'red', line);
          return kind === 'live' ? paint(terminal, 'green', line) : line;
        }),
      ];

/** `postern status`: shows how the service is doing, what it keeps of visitors, and what verifies them. */
import type { Command } from 'commander';
import type { Postern } from '../../client/src/client.ts';
import { type CommandContext, calls, examples } from './command.ts';
import { FROM } from './crawlers.ts';
import { counted, type Painted, print, type Terminal, table } from './terminal.ts';
import { toDay } from './time.ts';

export type ServiceStatus = Awaited<ReturnType<Postern['getStatus']>>;
type Visitors = ServiceStatus['visitors'];

export function statusCommand(parent: Command, context: CommandContext): void {
  const command = parent
    .command('status')
    .description(
      'Shows how the service is doing: storage, recording, what is kept of visitors, and what verifies them: the age of published lists and of the keys of agents, their failures, and names that were falsely claimed.',
    );
  examples(
    command,
    '$ postern status',
    '$ postern status --json | jq ".visitors.lists.data[] | select(.failures > 0)"',
  );
  calls(command, context, async ({ postern, terminal }, options) => {
    const status = await postern.getStatus();
    await print(terminal, options, status, () => statusText(terminal, status));
  });
}

function statusText(terminal: Terminal, status: ServiceStatus): string {
  const { version, started, ledger, storage, visitors, directory } = status;
  const free = `${Math.round((100 * storage.diskFreeBytes) / storage.diskBytes)} % of the disk free`;
  return [
    `Postern ${version}, running since ${started}, ${free}`,
    `${counted(ledger.decisions, 'decision')} recorded, ${counted(ledger.waiting, 'check')} waiting`,
    `Reports ${reportsState(status)}`,
    ...(ledger.moved === 0 ? [] : [`Of all nodes, ${movedState(status)}`]),
    ...privacyLines(status.privacy),
    directoryLine(directory),
    ...witnessLines(status),
    '',
    listsText(terminal, visitors.lists),
    directoriesText(terminal, visitors.directories),
    spoofedText(terminal, visitors.spoofed),
  ].join('\n');
}

/** Returns where reports come from, and how much they lack. */
export function reportsState({
  columns: { place, problem, behind },
  storage: { columnsBytes },
}: ServiceStatus): string {
  const lag = behind === 0 ? 'up to date' : `${counted(behind, 'decision')} behind`;
  if (problem !== null) return `cannot be answered now: ${problem}${behind === 0 ? '' : `; ${lag}`}`;
  const where = place === null ? 'a file of this node' : `ClickHouse at ${place}`;
  return `come from ${where}, ${(columnsBytes / 2 ** 20).toFixed(1)} MiB, ${lag}`;
}

/** Returns how many decisions moved to ClickHouse, and how many are lost there. */
export function movedState({ ledger: { moved, lost } }: ServiceStatus): string {
  const all = `${counted(moved, 'decision')} moved to ClickHouse`;
  return lost === 0 ? all : `${all}, which does not have ${lost} of them as they were: restore its backup`;
}

function privacyLines({
  ipPrecision,
  userAgent,
  inputDays,
  decisionDays,
  retiring,
  erasures,
}: ServiceStatus['privacy']) {
  const days = (count: number | null): string => (count === null ? 'for ever' : `for ${counted(count, 'day')}`);
  const kept = `inputs ${days(inputDays)}, decisions ${days(decisionDays)}`;
  const { running, walked, of } = erasures;
  return [
    `Kept of visitors: addresses ${ipPrecision}, user agents ${userAgent}; ${kept}`,
    ...(retiring ? ['Old decisions are leaving the log now'] : []),
    ...(running === 0
      ? []
      : [`${counted(running, 'erasure')} not done, the oldest has read ${walked} of ${of} decisions`]),
  ];
}

function witnessLines({ witnesses, witness }: ServiceStatus): string[] {
  return [
    ...witnesses.map(
      ({ name, forked, ...state }) => `Witness ${name} ${forked ? 'FORKED: ' : ''}${witnessState(state)}`,
    ),
    ...(witness?.logs ?? []).map(({ origin, size, cosigned }) =>
      size === null ? `Cosigns ${origin}, nothing yet` : `Cosigns ${origin}, ${size} entries at ${cosigned ?? ''}`,
    ),
  ];
}

/** Returns how far a witness cosigned the log. */
export function witnessState({
  size,
  behind,
  error,
}: Pick<ServiceStatus['witnesses'][number], 'size' | 'behind' | 'error'>) {
  const cosigned =
    size === null ? 'cosigned nothing yet' : `cosigned ${counted(size, 'entry').replace('entrys', 'entries')}`;
  const lag = behind === 0 ? '' : `, ${behind} behind`;
  return `${cosigned}${lag}${error === null ? '' : `: ${error}`}`;
}

function directoryLine({ date, source, failures, failingSince, error }: ServiceStatus['directory']): string {
  const failing = failures === 0 ? '' : `; ${failureText({ failures, failingSince, error })}`;
  return `Crawler directory of ${date}${FROM[source]}${failing}`;
}

function listsText(terminal: Terminal, { count, data }: Visitors['lists']): string {
  if (count === 0) return 'No published lists of addresses.\n';
  const rows = data.map(({ url, ranges, fetched, fresh, failures, failingSince, error, held }) => [
    url,
    ranges,
    toDay(fetched),
    describeState([
      held !== null && `${counted(held.ranges, 'range')} held back since ${toDay(held.since)}`,
      !fresh && (fetched === null ? 'never fetched' : 'too old to verify'),
      failures > 0 && failureText({ failures, failingSince, error }),
    ]),
  ]);
  return table(terminal, ['published list', 'ranges', 'fetched', 'state'], rows) + more(count, data.length);
}

function directoriesText(terminal: Terminal, { count, data }: Visitors['directories']): string {
  if (count === 0) return 'No keys of agents.\n';
  const rows = data.map(({ agent, keys, fetched, state, failures, failingSince, error }) => [
    agent,
    keys,
    toDay(fetched),
    describeState([state !== 'fresh' && state, failures > 0 && failureText({ failures, failingSince, error })]),
  ]);
  return table(terminal, ['agent', 'keys', 'fetched', 'state'], rows) + more(count, data.length);
}

function spoofedText(terminal: Terminal, spoofed: Visitors['spoofed']): string {
  if (spoofed === null) return 'Falsely claimed names are still being counted.\n';
  if (spoofed.length === 0) return 'No name was falsely claimed within 24 hours.\n';
  const rows = spoofed.map(({ claimed, checks, since }) => [claimed, checks, since]);
  return table(terminal, ['falsely claimed', 'checks in 24 h', 'since'], rows);
}

function describeState(faults: (string | false)[]): Painted {
  const found = faults.filter((fault) => fault !== false).join('; ');
  return found === '' ? { text: 'fresh', style: 'green' } : { text: found, style: 'yellow' };
}

interface Failing {
  failures: number;
  failingSince: string | null;
  error: string | null;
}

const failureText = ({ failures, failingSince, error }: Failing): string =>
  `${counted(failures, 'failed fetch').replace('fetchs', 'fetches')}${failingSince === null ? '' : ` since ${failingSince}`}: ${error ?? ''}`;

const more = (count: number, shown: number): string => (count > shown ? `and ${count - shown} more\n` : '');

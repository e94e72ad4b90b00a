/** `postern collections match`: shows which item or collection decides about a URL, and why. */
import type { Command } from 'commander';
import type { Answered, Body } from '../../../client/src/types.ts';
import { plain } from '../../lib/terminal-text.ts';
import { type CommandContext, calls, examples } from '../command.ts';
import { misused } from '../outcome.ts';
import { readTextOrInput } from '../read-file.ts';
import { print } from '../terminal.ts';

type Match = Answered<'matchCollection'>;
type Tried = Body<'tryCollection'>['collection'];
type Matched = NonNullable<Match['collection']>;

export function matchCommand(parent: Command, context: CommandContext): void {
  const command = parent
    .command('match')
    .argument('<url>', 'as a visitor requests it')
    .description('Shows which item or collection decides about a URL, by which pattern, and which came second.')
    .option(
      '--collection <file>',
      'as if this collection were stored: its fields as a JSON file ("-": standard input); `id`: the stored one that it replaces',
      readCollection,
    );
  examples(
    command,
    '$ postern collections match https://www.example.com/news/today',
    '$ echo \'{"hosts": ["www.example.com"], "paths": ["/news/"]}\' | postern collections match https://www.example.com/news/today --collection -',
  );
  calls<{ collection?: Tried }>(
    command,
    context,
    async ({ postern, terminal }, { collection, ...options }, url = '') => {
      if (collection === undefined) {
        const match = await postern.matchCollection({ url });
        return print(terminal, options, match, () => matchText(match));
      }
      const match = await postern.tryCollection({ url, collection });
      await print(terminal, options, match, () => `${matchText(match)}${triedText(match)}`);
    },
  );
}

function readCollection(file: string): Tried {
  const text = readTextOrInput(file);
  try {
    return JSON.parse(text) as Tried;
  } catch (error) {
    throw misused(`${file} holds no collection in JSON: ${(error as Error).message}.`);
  }
}

/** Says how the tried collection fared. */
function triedText({ tried: { id, unmatched }, collection }: Answered<'tryCollection'>): string {
  if (unmatched.length > 0) return `\nYour collection does not match by its ${unmatched.join(', ')}.\n`;
  const isFirst = collection?.id === id;
  return `\nYour collection matches${isFirst ? ', and is the most specific one' : '; another one is more specific'}.\n`;
}

function matchText({ outcome, item, collection, policyId, policySource, runnersUp }: Match): string {
  const lines: [string, string][] = [['item', item === null ? NO_ITEM[outcome] : `${item.title} (${item.id})`]];
  if (outcome !== 'several_items') {
    lines.push([
      'collection',
      collection === null ? 'none' : `${collection.name} (${collection.id})${OBSERVED[collection.mode]}`,
    ]);
  }
  if (collection !== null) lines.push(['matched by', selectorsText(collection)]);
  if (policyId !== null) lines.push(['policy', `${policyId}, ${SOURCES[policySource ?? 'default']}`]);
  for (const one of runnersUp) {
    lines.push(['less specific', `${one.name} (${one.id}) by ${selectorsText(one)}: ${LOST[one.lostBy]}`]);
  }
  const width = Math.max(...lines.map(([name]) => name.length));
  return lines.map(([name, text]) => `${name.padEnd(width)}  ${plain(text)}\n`).join('');
}

const NO_ITEM = {
  item: '',
  collection: 'none is registered there',
  nothing: 'none is registered there',
  several_items: 'several are registered there, so none is chosen',
} as const;

const OBSERVED = { enforce: '', observe: ', observed: decisions are not enforced' } as const;

const SOURCES = {
  content: 'given to the item',
  collection: 'of the collection',
  default: 'the default when the item was registered',
} as const;

const LOST = {
  path: 'its path pattern is shorter',
  host: 'its host is less exact',
  selectors: 'it has fewer selectors',
  age: 'as specific, and younger',
} as const;

const selectorsText = ({ path, host, contentType, contentTag }: Matched): string =>
  Object.entries({ path, host, type: contentType, tag: contentTag })
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ');

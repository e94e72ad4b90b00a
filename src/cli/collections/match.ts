/** `postern collections match`: shows which item or collection decides about a URL, and why. */
import type { Command } from 'commander';
import type { Answered } from '../../../client/src/types.ts';
import { type Context, calls, examples } from '../command.ts';
import { plain, print } from '../terminal.ts';

type Match = Answered<'matchCollection'>;
type Matched = NonNullable<Match['collection']>;

export function matchCommand(parent: Command, context: Context): void {
  const command = parent
    .command('match')
    .argument('<url>', 'as a visitor requests it')
    .description('Shows which item or collection decides about a URL, by which pattern, and which came second.');
  examples(command, '$ postern collections match https://www.example.com/news/today');
  calls(command, context, async ({ postern, terminal }, options, url = '') => {
    const match = await postern.matchCollection({ url });
    await print(terminal, options, match, () => matchText(match));
  });
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

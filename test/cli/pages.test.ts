/** The commands that the pages show exist, with their options and arguments. They are parsed, and not run. */
import assert from 'node:assert/strict';
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Command, CommanderError } from 'commander';
import { programFor } from '../../scripts/cli-doc.ts';

const PAGES = [
  'README.md',
  'SECURITY.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  ...globSync('docs/**/*.md'),
  ...readdirSync('deploy', { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile())
    .map((one) => join(one.parentPath, one.name)),
];

interface Shown {
  line: string;
  /** In a sentence, a command may lack its arguments. */
  isWhole: boolean;
}

/** Commands in blocks, one a line, and in spans of code. */
function commandsIn(page: string): Shown[] {
  const blocks = [...page.matchAll(/^```\w*\n([^]*?)^```$/gm)].map(([, text = '']) => text.replaceAll('\\\n', ' '));
  const spans = [...page.replaceAll(/^```[^]*?^```$/gm, '').matchAll(/`([^`]+)`/g)].map(([, text = '']) => text);
  return [
    ...blocks.flatMap((text) => text.split('\n').flatMap(partsOf)).map((line) => ({ line, isWhole: true })),
    ...spans.flatMap(partsOf).map((line) => ({ line, isWhole: false })),
  ];
}

/** Returns the commands of one line of a shell, without variables and redirections. */
const partsOf = (line: string): string[] =>
  line
    .replace(/^\s*[$>] /, '')
    .replace(/ # .*/, '')
    .split(/ (?:[|;]|&&) /)
    .map((one) => one.trim().replace(/^(?:[A-Z_]+=\S+ +)*(?:npx )?/, ''))
    .map((one) => one.replace(/ [<>] .*|\)$/, ''))
    .filter((one) => /^postern( |$)/.test(one));

const wordsOf = (line: string): string[] =>
  (line.match(/"[^"]*"|'[^']*'|\S+/g) ?? [])
    .slice(1)
    // `put|show`: any of them.
    .map((word) => word.replaceAll(/^["']|["']$|\|.*/g, ''));

const LACKS = ['commander.missingArgument', 'commander.optionMissingArgument', 'commander.missingMandatoryOptionValue'];

/** Returns why a command line is refused; undefined where it is not. */
function refusalOf({ line, isWhole }: Shown): string | undefined {
  const words = wordsOf(line);
  const program = programFor(() => {});
  const disarm = (command: Command): void => {
    command.commands.forEach(disarm);
    if (command.commands.length === 0) command.action(() => {});
  };
  disarm(program);
  let named: Command | undefined = program;
  for (const word of words) named = named?.commands.find((one) => one.name() === word);
  // The name of a group, without a command.
  if (named !== undefined && named.commands.length > 0) return undefined;
  try {
    program.parse(words, { from: 'user' });
    return undefined;
  } catch (error) {
    // Files that the page writes are not here.
    if (!(error instanceof CommanderError) || (!isWhole && LACKS.includes(error.code))) return undefined;
    return error.message;
  }
}

test('every command of the pages exists as it is written', () => {
  const shown = PAGES.flatMap((page) => commandsIn(readFileSync(page, 'utf8')).map((one) => ({ ...one, page })));
  assert.ok(shown.length > 100, String(shown.length));
  const refused = shown.flatMap((one) => {
    const why = refusalOf(one);
    return why === undefined ? [] : [`${one.page}: ${one.line}: ${why}`];
  });
  assert.deepEqual(refused, []);
});

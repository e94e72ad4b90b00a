/**
 * `postern init`: the first set-up, in the current folder: settings, a first key that only its owner can read, and a policy
 * to begin with. It asks at a terminal and takes the defaults elsewhere; nothing that is there is written over.
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Command, Option } from 'commander';
import { SETTINGS } from '../config.ts';
import { newKeyText } from '../keys/key.ts';
import { TEMPLATES } from '../policies/templates.ts';
import { type Context, does, examples } from './command.ts';
import { EXIT, misused } from './outcome.ts';
import { json, type Terminal } from './terminal.ts';

interface Options {
  dataDir?: string;
  port?: string;
  template?: string;
  yes?: boolean;
}

interface Chosen {
  dataDir: string;
  port: string;
  template: string;
}

const DEFAULTS: Chosen = { dataDir: './data', port: '8080', template: 'none' };
const SETTINGS_FILE = 'postern.env';
const KEY_FILE = 'postern.key';

export function initCommand(parent: Command, context: Context): void {
  const templates = ['none', ...TEMPLATES.map(({ id }) => id)];
  const command = parent
    .command('init')
    .description(
      'Sets up a first service in the current folder: asks a few questions and writes settings, a key and a policy file. Nothing that is there is written over.',
    )
    .option('--data-dir <folder>', `where the data will be (default: ${DEFAULTS.dataDir})`)
    .option('--port <port>', `where it will listen (default: ${DEFAULTS.port})`)
    .addOption(new Option('--template <id>', 'policy to begin with (default: none)').choices(templates))
    .option('--yes', 'ask nothing');
  examples(command, '$ postern init', '$ postern init --yes --template licensed_only');
  does<Options>(command, context, async (options) => {
    const { terminal } = context;
    for (const file of [SETTINGS_FILE, KEY_FILE]) {
      if (existsSync(file)) throw misused(`There is a ${file} here already; this folder has been set up.`);
    }
    const asks = terminal.interactive && options.yes !== true;
    const chosen = asks ? await ask(terminal, options) : { ...DEFAULTS, ...given(options) };
    requirePort(chosen.port);
    const policyFile = await writeFiles(chosen);
    if (options.json === true)
      await terminal.out(json({ settings: SETTINGS_FILE, key: KEY_FILE, policy: policyFile ?? null }));
    terminal.err(nextSteps(policyFile));
    return EXIT.ok;
  });
}

const given = ({ dataDir, port, template }: Options): Partial<Chosen> => ({
  ...(dataDir === undefined ? {} : { dataDir }),
  ...(port === undefined ? {} : { port }),
  ...(template === undefined ? {} : { template }),
});

async function ask(_terminal: Terminal, options: Options): Promise<Chosen> {
  const [{ intro, select, text }, { answered }] = await Promise.all([import('@clack/prompts'), import('./prompts.ts')]);
  const output = process.stderr;
  const preset = { ...DEFAULTS, ...given(options) };
  intro('A first service in this folder', { output });
  const filled = (value: string | undefined): string | undefined => (value === '' ? 'Say something.' : undefined);
  const dataDir = answered(
    await text({ message: 'Where shall the data be?', initialValue: preset.dataDir, validate: filled, output }),
  );
  const port = answered(
    await text({ message: 'Which port shall it listen on?', initialValue: preset.port, validate: portFault, output }),
  );
  const template = answered(
    await select({
      message: 'Which policy shall it begin with?',
      initialValue: preset.template,
      options: [
        { value: 'none', label: 'None', hint: 'everything is denied until you write one' },
        ...TEMPLATES.map(({ id, name, description }) => ({
          value: id,
          label: name,
          hint: description.split(/(?<=\.) /)[0] ?? '',
        })),
      ],
      output,
    }),
  );
  return { dataDir, port, template };
}

function portFault(text: string | undefined): string | undefined {
  try {
    SETTINGS.POSTERN_PORT.read(text ?? '');
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

function requirePort(port: string): void {
  const fault = portFault(port);
  if (fault !== undefined) throw misused(`--port ${fault}`);
}

/** Returns the policy file, if there is one. */
async function writeFiles({ dataDir, port, template }: Chosen): Promise<string | undefined> {
  const once = { flag: 'wx' } as const;
  writeFileSync(KEY_FILE, `${newKeyText('secret')}\n`, { ...once, mode: 0o600 });
  const lines = [
    '# Settings of Postern: postern serve --env-file postern.env',
    `POSTERN_DATA_DIR=${dataDir}`,
    `POSTERN_PORT=${port}`,
    '# The first key, for the first start, and the key of the commands here.',
    `POSTERN_BOOTSTRAP_KEY_FILE=${KEY_FILE}`,
    `POSTERN_KEY_FILE=${KEY_FILE}`,
    `POSTERN_URL=http://127.0.0.1:${port}`,
  ];
  writeFileSync(SETTINGS_FILE, `${lines.join('\n')}\n`, once);
  const found = TEMPLATES.find(({ id }) => id === template);
  if (found === undefined) return undefined;
  const { name, description, rules, defaultAction, cases } = found;
  const { stringify } = await import('yaml');
  mkdirSync('policies', { recursive: true });
  const file = join('policies', `${template.replaceAll('_', '-')}.yaml`);
  writeFileSync(file, stringify({ name, description, rules, defaultAction, cases }, { lineWidth: 100 }), once);
  return file;
}

const nextSteps = (policyFile: string | undefined): string => `
${SETTINGS_FILE} has the settings; ${KEY_FILE} has the first key: keep both out of version control.

  postern serve --env-file ${SETTINGS_FILE}

and in another shell:

  export POSTERN_ENV_FILE=${SETTINGS_FILE}
  postern doctor${policyFile === undefined ? '' : `\n  postern policies apply ${policyFile}`}
  postern content import https://example.com/sitemap.xml --dry-run
`;

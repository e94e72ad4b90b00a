/**
 * `postern init`: sets up the current folder with settings, a first key that only its owner can read, and a policy. It
 * prompts at a terminal and uses defaults elsewhere. In a folder that is set up it only adds the policy of a template.
 * Existing files are never overwritten.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Command, Option } from 'commander';
import { newKeyText } from '../api/keys/key.ts';
import { makeFolders } from '../lib/folder.ts';
import { invocation } from '../lib/invocation.ts';
import { placeholderWords } from '../rules/placeholders.ts';
import { TEMPLATES } from '../rules/templates.ts';
import { SETTINGS } from '../service/config.ts';
import { type CommandContext, type Common, does, examples } from './command.ts';
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

export function initCommand(parent: Command, context: CommandContext): void {
  const templates = ['none', ...TEMPLATES.map(({ id }) => id)];
  const command = parent
    .command('init')
    .description(
      'Sets up a service in the current folder: asks a few questions and writes settings, a key and, with a template, a policy file. In a folder that is set up, --template adds a policy file. Existing files are never overwritten.',
    )
    .option('--data-dir <folder>', `folder for the data (default: ${DEFAULTS.dataDir})`)
    .option('--port <port>', `port of the service (default: ${DEFAULTS.port})`)
    .addOption(new Option('--template <id>', 'first policy (default: none)').choices(templates))
    .option('--yes', 'skip the questions');
  examples(command, '$ postern init', '$ postern init --yes --template licensed_only');
  does<Options>(command, context, async (options) => {
    const { terminal } = context;
    if (existsSync(SETTINGS_FILE) && options.template !== undefined) return addPolicy(terminal, options);
    for (const file of [SETTINGS_FILE, KEY_FILE]) {
      if (existsSync(file)) {
        throw misused(`${file} already exists; this folder has been set up. Add a policy with --template <id>.`);
      }
    }
    const prompts = terminal.interactive && options.yes !== true;
    const chosen = prompts ? await promptFor(options) : { ...DEFAULTS, ...chosenBy(options) };
    requirePort(chosen.port);
    requireNew(chosen.template);
    const policyFile = await writeFiles(chosen);
    if (options.json === true) {
      await terminal.out(json({ settings: SETTINGS_FILE, key: KEY_FILE, policy: policyFile ?? null }));
    }
    terminal.err(nextSteps(policyFile));
    return EXIT.ok;
  });
}

/** Adds the policy of a template to a folder that is set up. */
async function addPolicy(terminal: Terminal, { dataDir, port, template = 'none', json: asJson }: Options & Common) {
  if (dataDir !== undefined || port !== undefined) {
    throw misused(`${SETTINGS_FILE} already exists; edit it to change the folder or the port.`);
  }
  requireNew(template);
  const file = await writePolicy(template);
  if (asJson === true) await terminal.out(json({ settings: null, key: null, policy: file ?? null }));
  terminal.err(
    file === undefined
      ? 'Nothing was written.\n'
      : `${file} is new. Apply it with: ${invocation()} policies apply ${file}\n`,
  );
  return EXIT.ok;
}

const policyPath = (template: string): string => join('policies', `${template.replaceAll('_', '-')}.yaml`);

/** Checks before anything is written. */
function requireNew(template: string): void {
  const file = policyPath(template);
  if (template !== 'none' && existsSync(file)) throw misused(`${file} already exists; edit it, or move it away.`);
}

const chosenBy = ({ dataDir, port, template }: Options): Partial<Chosen> => ({
  ...(dataDir === undefined ? {} : { dataDir }),
  ...(port === undefined ? {} : { port }),
  ...(template === undefined ? {} : { template }),
});

async function promptFor(options: Options): Promise<Chosen> {
  const [{ intro, select, text }, { answered }] = await Promise.all([import('@clack/prompts'), import('./prompts.ts')]);
  const output = process.stderr;
  const preset = { ...DEFAULTS, ...chosenBy(options) };
  intro('A new service in this folder', { output });
  const filled = (value: string | undefined): string | undefined => (value === '' ? 'Enter a folder.' : undefined);
  const dataDir = answered(
    await text({ message: 'Folder for the data', initialValue: preset.dataDir, validate: filled, output }),
  );
  const port = answered(
    await text({ message: 'Port of the service', initialValue: preset.port, validate: portFault, output }),
  );
  const template = answered(
    await select({
      message: 'First policy',
      initialValue: preset.template,
      options: [
        { value: 'none', label: 'None', hint: 'deny everything until you write one' },
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

const ONCE = { flag: 'wx' } as const;

/** Returns the name of the policy file; undefined without a template. */
async function writeFiles({ dataDir, port, template }: Chosen): Promise<string | undefined> {
  writeFileSync(KEY_FILE, `${newKeyText('secret')}\n`, { ...ONCE, mode: 0o600 });
  const lines = [
    `# Settings of Postern. Start it with: ${invocation()} serve --env-file ${SETTINGS_FILE}`,
    `POSTERN_DATA_DIR=${dataDir}`,
    `POSTERN_PORT=${port}`,
    '# The first key: created at the first start, and used by the commands in this folder.',
    `POSTERN_BOOTSTRAP_KEY_FILE=${KEY_FILE}`,
    `POSTERN_KEY_FILE=${KEY_FILE}`,
    `POSTERN_URL=http://127.0.0.1:${port}`,
  ];
  writeFileSync(SETTINGS_FILE, `${lines.join('\n')}\n`, ONCE);
  return writePolicy(template);
}

async function writePolicy(template: string): Promise<string | undefined> {
  const found = TEMPLATES.find(({ id }) => id === template);
  if (found === undefined) return undefined;
  const { name, description, rules, defaultAction, cases } = found;
  const { stringify } = await import('yaml');
  makeFolders('policies');
  const file = policyPath(template);
  const toEdit = placeholderWords(rules).map((words) => `# ${words}\n`);
  const policy = stringify({ name, description, rules, defaultAction, cases }, { lineWidth: 100 });
  writeFileSync(file, toEdit.join('') + policy, ONCE);
  return file;
}

function nextSteps(policyFile: string | undefined): string {
  const postern = invocation();
  return `
${SETTINGS_FILE} holds the settings, ${KEY_FILE} the first key. Keep both out of version control. Start the service:

  ${postern} serve --env-file ${SETTINGS_FILE}

Then, in another shell:

  export POSTERN_ENV_FILE=${SETTINGS_FILE}
  ${postern} doctor${policyFile === undefined ? '' : `\n  ${postern} policies apply ${policyFile}`}

See what a policy would do to a site before you enforce it:

  ${postern} collections create 'The site' --host www.example.com --path / --mode observe
`;
}

/** `postern crawlers export` and `sign`: make a crawler directory of one's own. They need no service. */
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import { readDirectory } from '../requesters/crawlers/directory-schema.ts';
import { PACKAGED } from '../rules/crawlers/directory.ts';
import { type CommandContext, does, examples } from './command.ts';
import { misused } from './outcome.ts';
import { readText } from './read-file.ts';

export function directoryCommands(parent: Command, context: CommandContext): void {
  exportCommand(parent, context);
  signCommand(parent, context);
}

function exportCommand(parent: Command, context: CommandContext): void {
  const command = parent
    .command('export')
    .description('Prints the crawler directory of this version as a file, to make another one of. Needs no service.');
  examples(command, '$ postern crawlers export > crawlers.json');
  does(command, context, async () => {
    const { date, crawlers } = PACKAGED;
    const rows = crawlers.map((row) => `    ${JSON.stringify(row)}`).join(',\n');
    await context.terminal.out(`{\n  "date": "${date}",\n  "crawlers": [\n${rows}\n  ]\n}\n`);
  });
}

function signCommand(parent: Command, context: CommandContext): void {
  const command = parent
    .command('sign')
    .argument('<file>', 'a crawler directory')
    .requiredOption('--private-key <file>', 'an Ed25519 private key in PEM; made if there is none')
    .description(
      'Checks a crawler directory, writes its signature to the file with `.sig` after its name, and prints the public key for POSTERN_CRAWLER_DIRECTORY_KEY. Needs no service.',
    );
  examples(command, '$ postern crawlers sign crawlers.json --private-key crawlers.pem');
  does<{ privateKey: string }>(command, context, async (options, file = '') => {
    const { terminal } = context;
    const text = readText(file);
    const directory = readDirectory(text, Date.now());
    if (typeof directory === 'string') throw misused(`${file}: ${directory}`);
    const key = readPrivateKey(options.privateKey);
    writeFileSync(`${file}.sig`, `${sign(null, Buffer.from(text), key).toString('base64')}\n`);
    await terminal.out(`${createPublicKey(key).export({ format: 'der', type: 'spki' }).toString('base64')}\n`);
    terminal.err(`${file}.sig signs ${directory.crawlers.length} crawlers of ${directory.date}.\n`);
  });
}

function readPrivateKey(file: string): KeyObject {
  if (!existsSync(file)) {
    const { privateKey } = generateKeyPairSync('ed25519');
    writeFileSync(file, privateKey.export({ format: 'pem', type: 'pkcs8' }), { mode: 0o600, flag: 'wx' });
    return privateKey;
  }
  const text = readText(file);
  try {
    const key = createPrivateKey(text);
    if (key.asymmetricKeyType === 'ed25519') return key;
  } catch {
    // It says less than the sentence below.
  }
  throw misused(`${file} is no Ed25519 private key in PEM.`);
}

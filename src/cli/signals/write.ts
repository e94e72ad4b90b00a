/** `postern signals write`: writes the files of sites into a folder that a web server serves. */
import {
  chmodSync,
  closeSync,
  fchmodSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Command } from 'commander';
import type { Postern } from '../../../client/src/client.ts';
import { PosternError } from '../../../client/src/errors.ts';
import { makeFolders } from '../../lib/folder.ts';
import { plain } from '../../lib/terminal-text.ts';
import { type CommandContext, calls, examples } from '../command.ts';
import { EXIT, failed } from '../outcome.ts';
import { whyUnread } from '../read-file.ts';
import { json } from '../terminal.ts';
import { FILES, type FileKind } from './files.ts';

interface Options {
  site?: string;
  replaceOwn?: boolean;
}

interface Written {
  file: string;
  /** `off`: the site does not publish it; a file that is there stays. `own`: not written by Postern. */
  state: 'written' | 'unchanged' | 'off' | 'own';
  message?: string;
}

export function writeCommand(parent: Command, context: CommandContext): void {
  const command = parent
    .command('write')
    .argument('<folder>', 'where to write; with --site the root of the site, else it has a folder for each site')
    .description(
      'Writes the files of sites as the service renders them: each one atomically, and only if it changed. Removes no file.',
    )
    .option('--site <host>', 'only this site')
    .option('--replace-own', 'replace a robots.txt that Postern did not write');
  examples(
    command,
    '$ postern signals write /var/www/html --site www.example.com',
    '$ postern signals write /srv/signals',
  );
  calls<Options>(command, context, async ({ postern, terminal }, options, folder = '') => {
    const { site, replaceOwn = false } = options;
    const hosts =
      site === undefined ? (await Array.fromAsync(postern.listSites({ limit: 100 }))).map(({ host }) => host) : [site];
    const all: Written[] = [];
    for (const host of hosts) {
      const root = site === undefined ? join(folder, toFolder(host)) : folder;
      all.push(...(await writeSite(postern, host, { root, replaceOwn })));
    }
    if (options.json === true) await terminal.out(json(all));
    else for (const one of all) terminal.err(`${plain(toLine(one))}\n`);
    return all.some(({ state }) => state === 'own') ? EXIT.failed : EXIT.ok;
  });
}

const toLine = ({ file, state, message }: Written): string =>
  `${file}: ${state === 'own' ? 'left as it is' : state}${message === undefined ? '' : `. ${message}`}`;

/** Hosts come from the service: none may lead out of the folder. */
function toFolder(host: string): string {
  if (/^[\w[][\w.:[\]-]*$/.test(host) && !host.includes('..')) return host;
  throw failed(`The site ${plain(host)} cannot be the name of a folder.`);
}

interface Target {
  root: string;
  replaceOwn: boolean;
}

async function writeSite(postern: Postern, host: string, { root, replaceOwn }: Target): Promise<Written[]> {
  const all: Written[] = [];
  for (const kind of Object.keys(FILES) as FileKind[]) {
    const { path } = FILES[kind];
    if (path === undefined) continue;
    const found = await readFile(postern, kind, host);
    if (typeof found === 'string') {
      if (path === null) all.push(...writePolicies(root, found));
      else all.push(write(join(root, path), found, replaceOwn));
    } else if (path !== null) all.push({ file: join(root, path), state: 'off', message: found.why });
  }
  return all;
}

async function readFile(postern: Postern, kind: FileKind, host: string): Promise<string | { why: string }> {
  try {
    return await FILES[kind].read(postern, host, {});
  } catch (error) {
    if (error instanceof PosternError && error.code === 'signal_not_found') return { why: error.message };
    throw error;
  }
}

/** Policies of collections, each under the path that its URL names. */
const writePolicies = (root: string, list: string): Written[] =>
  (JSON.parse(list) as { uid: string }[]).map((policy) => {
    const [, name] = /^https:\/\/[^/]+\/\.well-known\/tdm-policy\/(col_[0-9a-z]+\.json)$/.exec(policy.uid) ?? [];
    if (name === undefined) throw failed(`The policy ${plain(policy.uid)} has no file of its own.`);
    return write(join(root, '.well-known/tdm-policy', name), `${JSON.stringify(policy, null, 1)}\n`, true);
  });

const MARK = '# BEGIN Postern';

function write(file: string, text: string, replaceOwn: boolean): Written {
  const before = readBefore(file);
  if (before === text) return { file, state: 'unchanged' };
  const isOwn = before !== undefined && text.includes(MARK) && !before.includes(MARK);
  if (isOwn && !replaceOwn) {
    return { file, state: 'own', message: 'Put its text into `robotsBase` of the site, or pass --replace-own.' };
  }
  replace(file, text);
  return { file, state: 'written' };
}

function readBefore(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw failed(`Cannot read ${file}: ${whyUnread(error)}.`, error);
  }
}

/** A reader of the file finds the old text or the new one, also after a crash. */
function replace(file: string, text: string): void {
  const part = `${file}.postern-${process.pid}`;
  try {
    makeReadableFolder(resolve(dirname(file)));
    const opened = openSync(part, 'w');
    try {
      // The web server reads it as another user; what the command writes elsewhere is for its own user only.
      fchmodSync(opened, 0o644);
      writeSync(opened, text);
      fsyncSync(opened);
    } finally {
      closeSync(opened);
    }
    renameSync(part, file);
  } catch (error) {
    rmSync(part, { force: true });
    throw failed(`Cannot write ${file} (${(error as NodeJS.ErrnoException).code}).`, error);
  }
}

function makeReadableFolder(folder: string): void {
  const highest = makeFolders(folder);
  if (highest === undefined) return;
  for (let made = folder; ; made = dirname(made)) {
    chmodSync(made, 0o755);
    if (made === highest) return;
  }
}

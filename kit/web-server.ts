/**
 * Real web servers from Debian's packages, each with its own configuration and folder. A test whose server is missing
 * fails with the name of the package.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { until } from './until.ts';

export interface WebServer extends AsyncDisposable {
  url: string;
  /** The output so far, for a test that fails. */
  log(): string;
}

/** Throws when the command is not there. */
export function requireCommand(command: string, aptPackage: string): void {
  if (spawnSync(command, ['--version']).error === undefined) return;
  throw new Error(`This test needs ${command}, which is not installed: apt-get install ${aptPackage}`);
}

const folders: string[] = [];
process.once('exit', () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** A folder with these files, which every user may read; gone with the process at the latest. */
export function folderOf(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'postern-web-'));
  chmodSync(folder, 0o755);
  folders.push(folder);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

/** A server by its command line, which listens on this port; gone when it is disposed of, with its folder. */
export async function startServer(
  command: string,
  args: readonly string[],
  { port, folder, env = {} }: { port: number; folder: string; env?: Record<string, string> },
): Promise<WebServer> {
  const child: ChildProcess = spawn(command, args, {
    env: { PATH: process.env.PATH, HOME: folder, ...env },
    stdio: 'pipe',
  });
  let log = '';
  child.stdout?.on('data', (chunk) => (log += chunk));
  child.stderr?.on('data', (chunk) => (log += chunk));
  const ended = new Promise<void>((done) => child.once('close', () => done()));
  await until(`${command} listens`, () => {
    if (child.exitCode !== null) throw new Error(`${command} ended: ${log}`);
    return isListening(port);
  });
  return {
    url: `http://127.0.0.1:${port}`,
    log: () => log,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const isListening = (port: number): Promise<boolean> =>
  new Promise((answer) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      answer(true);
    });
    socket.once('error', () => answer(false));
  });

/** nginx with a file of `conf.d`, and the content types of its packages. */
export async function startNginx(port: number, conf: string): Promise<WebServer> {
  requireCommand('nginx', 'nginx-light');
  const folder = folderOf({ 'site.conf': conf });
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  writeFileSync(
    join(folder, 'nginx.conf'),
    `${process.getuid?.() === 0 ? 'user root;' : ''}
     daemon off; worker_processes 1; pid ${folder}/pid; error_log stderr;
     events { worker_connections 256; }
     http {
       access_log off;
       include /etc/nginx/mime.types; default_type application/octet-stream;
       ${temporary.map((name) => `${name}_temp_path ${folder}/${name};`).join('\n')}
       include ${folder}/site.conf;
     }`,
  );
  return startServer('nginx', ['-p', folder, '-e', 'stderr', '-c', join(folder, 'nginx.conf')], { port, folder });
}

/** Caddy with this Caddyfile. */
export async function startCaddy(port: number, caddyfile: string, env: Record<string, string>): Promise<WebServer> {
  requireCommand('caddy', 'caddy');
  // Only http, and no port of its own beside.
  const folder = folderOf({ Caddyfile: `{\n\tadmin off\n\tauto_https off\n}\n${caddyfile}` });
  return startServer('caddy', ['run', '--config', join(folder, 'Caddyfile'), '--adapter', 'caddyfile'], {
    port,
    folder,
    env: { ...env, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
  });
}

/** Proxies as docs/enforce/ sets them up, with the places of a test put into the pages' configurations. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { freePort } from '../../../kit/port.ts';
import { until } from '../../../kit/until.ts';
import {
  folderOf,
  requireCommand,
  startCaddy,
  startNginx,
  startServer,
  type WebServer,
} from '../../../kit/web-server.ts';
import { configurationOf, visit } from '../../enforce/visiting.ts';

export interface Start {
  /** Host and port of Postern. */
  asked: string;
  key: string;
  /** The folder that is served; or instead of it what the page says to put there for an application. */
  site: string;
  application?: { nginx: string; caddy: string };
  /** More texts of the configuration to replace. */
  changes?: Record<string, string>;
}

async function nginx({ asked, key, site, application, changes }: Start): Promise<WebServer> {
  const port = await freePort();
  const keyFile = join(folderOf({}), 'postern-key.conf');
  const command = configurationOf('nginx', 'sh', {
    'sudo ': '',
    '/etc/nginx/postern-key.conf': keyFile,
    '$(npx postern keys create nginx --permission access:check)': key,
  });
  execFileSync('sh', ['-euc', command], { env: { PATH: process.env.PATH } });
  const conf = configurationOf('nginx', 'nginx', {
    '127.0.0.1:8080': asked,
    'listen 80': `listen 127.0.0.1:${port}`,
    '/etc/nginx/postern-key.conf': keyFile,
    ...(application === undefined ? { '/var/www/site': site } : inPlaceOfFolder(application.nginx)),
    ...changes,
  });
  return startNginx(port, conf);
}

/** Replaces what the page says: the folder, its index and its redirect go, and so does `try_files`. */
function inPlaceOfFolder(application: string): Record<string, string> {
  const page = configurationOf('nginx', 'nginx', {});
  const folder = page.slice(page.indexOf('    # One address for a folder'), page.indexOf('    location / {'));
  return { [folder]: '', 'try_files $uri $uri/ =404;': application };
}

async function caddy({ asked, key, site, application, changes }: Start): Promise<WebServer> {
  const port = await freePort();
  const caddyfile = configurationOf('caddy', 'caddyfile', {
    '127.0.0.1:8080': asked,
    'www.example.com {': `http://www.example.com:${port} {`,
    'root * /var/www/site': application?.caddy ?? `root * ${site}`,
    ...(application === undefined ? {} : { [fileServer()]: '' }),
    ...changes,
  });
  return startCaddy(port, caddyfile, { POSTERN_KEY: key });
}

/** The block with which Caddy serves the folder. */
export function fileServer(): string {
  const page = configurationOf('caddy', 'caddyfile', {});
  const begin = page.indexOf('file_server {');
  return page.slice(begin, page.indexOf('}', begin) + 1);
}

/** An application that is asked over HTTP, at this host and port. */
export const proxied = (application: string): NonNullable<Start['application']> => ({
  nginx: `client_max_body_size 8m; proxy_pass http://${application};\n${configurationOf('nginx', 'nginx-part', {})}`,
  caddy: `reverse_proxy ${application}`,
});

export const SERVERS = [
  ['nginx', nginx],
  ['Caddy', caddy],
] as const;

export interface StartBefore extends Pick<Start, 'asked' | 'key' | 'changes'> {
  /** Host and port of the site. */
  application: string;
}

const portOf = (host: string): string => host.slice(host.lastIndexOf(':') + 1);

export async function startHaproxy({ asked, key, application, changes }: StartBefore): Promise<WebServer> {
  requireCommand('haproxy', 'haproxy');
  const port = await freePort();
  const lua = configurationOf('haproxy', 'lua', { '8080': portOf(asked), ...changes });
  const script = join(folderOf({ 'postern.lua': lua }), 'postern.lua');
  const folder = folderOf({
    'haproxy.cfg': configurationOf('haproxy', 'haproxy', {
      '/etc/haproxy/postern.lua': script,
      'bind :80': `bind 127.0.0.1:${port}`,
      '127.0.0.1:8081': application,
    }),
  });
  return startServer('haproxy', ['-db', '-f', join(folder, 'haproxy.cfg')], {
    port,
    folder,
    env: { POSTERN_KEY: key },
  });
}

export async function startVarnish({ asked, key, application, changes }: StartBefore): Promise<WebServer> {
  requireCommand('varnishd', 'varnish');
  const [port, folder] = [await freePort(), folderOf({})];
  const keyFile = join(folder, 'postern-key.vcl');
  const command = configurationOf('varnish', 'sh', {
    'sudo ': '',
    '/etc/varnish/postern-key.vcl': keyFile,
    '$(npx postern keys create varnish --permission access:check)': key,
  });
  execFileSync('sh', ['-euc', command], { env: { PATH: process.env.PATH } });
  const vcl = configurationOf('varnish', 'vcl', {
    '/etc/varnish/postern-key.vcl': keyFile,
    '.port = "8080"': `.port = "${portOf(asked)}"`,
    '.port = "8081"': `.port = "${portOf(application)}"`,
    ...changes,
  });
  const file = join(folderOf({ 'default.vcl': vcl }), 'default.vcl');
  const storage = ['-s', 'malloc,32m', '-n', join(folder, 'work')];
  const args = ['-F', '-j', 'none', '-a', `127.0.0.1:${port}`, '-f', file, ...storage];
  const varnish = await startServer('varnishd', args, { port, folder });
  // It listens before it answers.
  await until('an answer', async () => (await visit(varnish.url, '/robots.txt')).status !== 0);
  return varnish;
}

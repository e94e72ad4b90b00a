/** nginx and Caddy as docs/enforce/ sets them up, with the places of a test put into the pages' configurations. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { freePort } from '../../../kit/port.ts';
import { folderOf, startCaddy, startNginx, type WebServer } from '../../../kit/web-server.ts';
import { configurationOf } from '../../enforce/visiting.ts';

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

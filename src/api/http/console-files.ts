/**
 * The pages of the console and of partners, as they were built into console/dist. Promise: nothing but this service is
 * ever asked for anything, and no script or style runs that was not built with it (Content Security Policy Level 3).
 * Files with a hash in their name are kept for good by the browser, the page itself is asked for every time.
 */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyReply } from 'fastify';
import { fail } from '../errors.ts';
import type { App } from './app.ts';
import { openOnce, serveLater } from './later.ts';

const DIST = fileURLToPath(new URL('../../../console/dist', import.meta.url));
/** By the addresses at which they are served. Every view of the console has an address of its own. */
const PAGES: readonly [file: string, urls: readonly string[]][] = [
  ['index.html', ['/console', '/console/*']],
  ['partner.html', ['/partner', '/partner/']],
];

/** Returns whether the pages are built: a clone installed without development packages has none. */
export const isConsoleBuilt = (): boolean => PAGES.every(([file]) => existsSync(join(DIST, file)));

/** The build's placeholder for the nonce of an answer. */
const NONCE = /__POSTERN_NONCE__/g;

const config = { permission: null };
const schema = { hide: true } as object;

/** `dist` may be built anew, or for the first time, while the service runs. */
export function consoleFiles(app: App, dist = DIST): void {
  app.get('/', { config, schema }, async (request, reply) => {
    if (request.headers.accept?.includes('text/html') === true) return reply.redirect('/console', 302);
    throw fail('route_not_found', 'There is no GET /. See /docs for what there is, or /console with a browser.');
  });

  for (const [file, urls] of PAGES) {
    // Read for each answer: a page from before a new build names files that are gone.
    const page = () => readFile(join(dist, file), 'utf8').catch(notBuilt);
    for (const url of urls) app.get(url, { config, schema }, async (_request, reply) => sendPage(reply, await page()));
  }
  const open = openOnce(async (inner) => {
    await inner.register((await import('@fastify/static')).default, {
      root: join(dist, 'assets'),
      prefix: '/console/assets/',
      decorateReply: false,
      index: false,
      immutable: true,
      maxAge: '1y',
      preCompressed: true,
      setHeaders: (reply) => {
        for (const [name, value] of Object.entries(SAFE)) reply.header(name, value);
      },
    });
  });
  serveLater(app, ['/console/assets/*'], open);
}

/** Throws route_not_found if a page is missing. */
function notBuilt(error: NodeJS.ErrnoException): never {
  if (error.code !== 'ENOENT') throw error;
  throw fail(
    'route_not_found',
    'The console was not built, or is being built: reload in a few seconds. ' +
      'Otherwise run `npm ci --omit=dev` and then `npm run console`, or install the package.',
  );
}

async function sendPage(reply: FastifyReply, page: string): Promise<FastifyReply> {
  const nonce = randomBytes(16).toString('base64');
  return reply
    .headers({ ...SAFE, 'content-security-policy': policy(nonce), 'cache-control': 'no-cache' })
    .type('text/html; charset=utf-8')
    .serializer((text) => text as string)
    .send(page.replace(NONCE, nonce));
}

const SAFE = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

/** The component library writes some of its rules at run time, in elements that carry the nonce. */
const policy = (nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');

/** A real browser for the console's tests: Chromium of the machine, put there by the system's packages where it is missing. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

const PATHS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

function findChromium(): string | undefined {
  return [process.env.CHROMIUM, ...PATHS].find((path) => path !== undefined && existsSync(path));
}

/** Throws when there is none and it cannot be installed: a test that needs it is not passed over. */
export async function launchBrowser(): Promise<Browser> {
  let path = findChromium();
  if (path === undefined && process.getuid?.() === 0) {
    execFileSync('apt-get', ['update'], { stdio: 'ignore' });
    execFileSync('apt-get', ['install', '-y', '--no-install-recommends', 'chromium'], { stdio: 'ignore' });
    path = findChromium();
  }
  if (path === undefined) throw new Error('Chromium is not installed; install it, or name it in CHROMIUM.');
  return chromium.launch({ executablePath: path, headless: true, args: ARGS });
}

export interface Signed extends AsyncDisposable {
  page: Page;
  context: BrowserContext;
  /** What went wrong in the page: refusals of the Content Security Policy, errors nobody caught. */
  faults: string[];
}

/** A page of a browser that nobody used before, signed in. */
export async function signedIn(
  browser: Browser,
  url: string,
  key: string,
  options: BrowserContextOptions = {},
): Promise<Signed> {
  const context = await browser.newContext({ baseURL: url, ...options });
  const page = await context.newPage();
  // Only how long a wait may take before it fails: machines are slow at times.
  page.setDefaultTimeout(60_000);
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(`error: ${error.message}`));
  page.on('console', (message) => {
    // A refused request is told by the page itself.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      faults.push(message.text());
  });
  const answer = await context.request.post('/console/session', {
    headers: { 'x-postern-console': '1' },
    data: { key },
  });
  if (answer.status() !== 201) throw new Error(`signing in was answered ${answer.status()}: ${await answer.text()}`);
  return { page, context, faults, [Symbol.asyncDispose]: () => context.close() };
}

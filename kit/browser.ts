/**
 * A real browser for the console's tests: Chromium of the machine. Its headless shell draws no window and takes half
 * the processor time.
 */
import { existsSync } from 'node:fs';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

const PATHS = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];
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

/** Throws when there is none: a test that needs it is never skipped. */
export function launchBrowser(...more: string[]): Promise<Browser> {
  const path = findChromium();
  if (path === undefined)
    throw new Error('This test needs Chromium: apt-get install chromium-headless-shell, or name it in CHROMIUM.');
  return chromium.launch({ executablePath: path, headless: true, args: [...ARGS, ...more] });
}

export interface Signed extends AsyncDisposable {
  page: Page;
  context: BrowserContext;
  /** Errors in the page: uncaught ones, and refusals of the Content Security Policy. */
  faults: string[];
}

/** Opens a page in a new browser context, signed in. */
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
    // The page itself shows a refused request.
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

/** For `beforeEach`: a page signed in anew for each test, gone after it. */
export const signingIn =
  (
    browser: Browser,
    postern: { url: string; key: string },
    viewport: NonNullable<BrowserContextOptions['viewport']>,
    use: (signed: Signed) => void,
  ) =>
  async (context: object): Promise<void> => {
    const signed = await signedIn(browser, postern.url, postern.key, { viewport });
    use(signed);
    (context as { after?: (run: () => Promise<void>) => void }).after?.(async () => signed[Symbol.asyncDispose]());
  };

/** A service of the demo's own, in a process of its own, as `npm start` runs it. It is stopped when the demo ends, however that comes. */
import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Refusal } from './data.ts';

export interface Running {
  url: string;
  /** Settles when it is no longer there; an error if nobody stopped it. */
  gone: Promise<void>;
  stop(): Promise<void>;
}

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));

/** Ready when it settles. What it logs goes to `logFile`. */
export async function runService(settings: Record<string, string>, logFile: string): Promise<Running> {
  const child = spawn(process.execPath, [MAIN], {
    env: { ...withoutSettings(process.env), ...settings, POSTERN_LOG_LEVEL: 'info' },
    stdio: ['ignore', 'ignore', 'pipe'],
    // Ctrl-C reaches every process of a terminal's group; this one is to be told once, by us.
    detached: true,
  });
  const kill = (): void => void child.kill('SIGTERM');
  process.once('exit', kill);
  const log = createWriteStream(logFile, { flags: 'a', mode: 0o600 });
  let stopping = false;
  const said: string[] = [];
  const gone = new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => {
      process.off('exit', kill);
      log.end();
      if (stopping) resolve();
      else
        reject(
          new Refusal(`The service ended with ${code ?? 'a signal'}${said.length > 0 ? `:\n${said.join('\n')}` : ''}`),
        );
    });
  });
  gone.catch(() => {});

  const url = await Promise.race([
    new Promise<string>((resolve) => {
      createInterface(child.stderr).on('line', (line) => {
        log.write(`${line}\n`);
        const address = addressIn(line);
        if (address !== undefined) resolve(address);
        else if (!line.startsWith('{')) said.push(line);
      });
    }),
    gone.then(() => Promise.reject(new Error('the service was stopped before it was ready'))),
  ]);
  return {
    url,
    gone,
    async stop() {
      stopping = true;
      kill();
      await gone;
    },
  };
}

/** Said before the long part of the work rather than after it. Throws Refusal. */
export async function requireFreePort(text: string): Promise<void> {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65_535)
    throw new Refusal(`--port takes a port from 0 to 65535, not "${text}".`);
  const server = createServer();
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, '127.0.0.1', resolve);
    });
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code === 'EADDRINUSE' ? 'is taken' : 'cannot be used';
    throw new Refusal(`Port ${text} ${why}. Choose another with --port; 0 takes a free one.`);
  }
  await new Promise((resolve) => server.close(resolve));
}

/** Settings meant for another service must not reach this one. */
const withoutSettings = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('POSTERN_')));

/** The log's line when it is ready names where. */
function addressIn(line: string): string | undefined {
  try {
    const { msg, address } = JSON.parse(line) as { msg?: string; address?: string };
    return msg === 'ready' ? address : undefined;
  } catch {
    return undefined;
  }
}

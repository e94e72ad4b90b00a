/** Runs a service for the demo in a process of its own, as `npm start` does, and stops it when the demo ends. */
import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Refusal } from './data.ts';

export interface Running {
  url: string;
  /** Settles when the process ends; rejects unless it was stopped. */
  gone: Promise<void>;
  stop(): Promise<void>;
}

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));

/** Resolves when the service is ready. Its log goes to `logFile`. */
export async function runService(settings: Record<string, string>, logFile: string): Promise<Running> {
  const child = spawn(process.execPath, [MAIN], {
    env: { ...withoutSettings(process.env), ...settings, POSTERN_LOG_LEVEL: 'info' },
    stdio: ['ignore', 'ignore', 'pipe'],
    // Ctrl-C reaches every process of a terminal's group; this one is stopped once, by the demo.
    detached: true,
  });
  const kill = (): void => void child.kill('SIGTERM');
  process.once('exit', kill);
  const log = createWriteStream(logFile, { flags: 'a', mode: 0o600 });
  let stopping = false;
  const output: string[] = [];
  const gone = new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => {
      process.off('exit', kill);
      log.end();
      if (stopping) resolve();
      else
        reject(
          new Refusal(
            `The service ended with ${code ?? 'a signal'}${output.length > 0 ? `:\n${output.join('\n')}` : ''}`,
          ),
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
        else if (!line.startsWith('{')) output.push(line);
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

/** Checks the port before the long part of the work. Throws Refusal. */
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
    throw new Refusal(`Port ${text} ${why}. Choose another with --port; 0 picks a free one.`);
  }
  await new Promise((resolve) => server.close(resolve));
}

/** Removes settings that are meant for another service. */
const withoutSettings = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('POSTERN_')));

/** Returns the address in the log line of a ready service. */
function addressIn(line: string): string | undefined {
  try {
    const { msg, address } = JSON.parse(line) as { msg?: string; address?: string };
    return msg === 'ready' ? address : undefined;
  } catch {
    return undefined;
  }
}

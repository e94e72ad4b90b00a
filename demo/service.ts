/** Runs a service for the demo in a process of its own, as `npm start` does, and stops it when the demo ends. */
import { createWriteStream } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { EndedEarly, launch } from '../kit/launch.ts';
import { type Data, Refusal } from './data.ts';

export interface Running {
  url: string;
  /** Settles when the process ends; rejects unless it was stopped. */
  gone: Promise<void>;
  stop(): Promise<void>;
}

/** Resolves when the service is ready. Its log goes to a file beside its data. */
export async function runService({ dir, key }: Data, port: string): Promise<Running> {
  const env = { POSTERN_PORT: port, POSTERN_LOG_LEVEL: 'info' };
  // Ctrl-C reaches every process of a terminal's group; this one is stopped once, by the demo.
  // Background work that failed is in the log; the demo ends as usual.
  const service = launch({ dataDir: dir, key, env, detached: true, housekeepingMayFail: true });
  service.child.stderr?.pipe(createWriteStream(join(dir, 'service.log'), { flags: 'a', mode: 0o600 }));
  let stopping = false;
  const stop = async (): Promise<void> => {
    stopping = true;
    await service.end('SIGTERM');
  };
  const kill = (): void => void service.child.kill('SIGTERM');
  process.once('exit', kill);
  const gone = service.exited.then(({ code, signal }) => {
    process.off('exit', kill);
    const said = service.output().split('\n');
    // The log's lines are in its file.
    const messages = said.filter((line) => !line.startsWith('{')).join('\n');
    if (!stopping) throw new Refusal(`The service ended with ${code ?? signal}:\n${messages}`);
  });
  gone.catch(() => {});
  await service.ready.catch((error: unknown) => {
    if (!(error instanceof EndedEarly)) throw error;
    return gone;
  });
  return { url: service.url(), gone, stop };
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

/** A relay to a server that a test can cut, silence, slow down or point elsewhere. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export interface Relay extends AsyncDisposable {
  port: number;
  /** Every connection ends now, and new ones end at once, until `open`. */
  cut(): void;
  /** Stops answering, like a machine without power; connections that exist stay silent forever. */
  silence(): void;
  /** On new connections what the server says takes so much longer. */
  slow(delayMs: number): void;
  /** New connections lead to the port again, or to another one. */
  open(port?: number): void;
}

export async function startRelay(port: number): Promise<Relay> {
  let target = port;
  let delayMs = 0;
  let state: 'open' | 'cut' | 'silent' = 'open';
  const sockets = new Set<Socket>();
  const pairs = new Set<{ silent: boolean }>();
  const server = createServer((near) => {
    sockets.add(near);
    near.on('close', () => sockets.delete(near));
    near.on('error', () => {});
    if (state === 'cut') return void near.destroy();
    if (state === 'silent') return;
    const pair = { silent: false };
    pairs.add(pair);
    const far = connect(target, '127.0.0.1');
    far.on('error', () => near.destroy());
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.setNoDelay(true);
      const waits = from === far ? delayMs : 0;
      const pass = (bytes: string | Buffer): unknown => pair.silent || to.destroyed || to.write(bytes);
      from.on('data', (bytes) => (waits > 0 ? setTimeout(pass, waits, bytes) : pass(bytes)));
      from.on('close', () => pair.silent || to.destroy());
    }
    near.on('close', () => {
      pairs.delete(pair);
      far.destroy();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as { port: number }).port,
    cut() {
      state = 'cut';
      for (const socket of sockets) socket.destroy();
    },
    silence() {
      state = 'silent';
      for (const pair of pairs) pair.silent = true;
    },
    slow(given) {
      delayMs = given;
    },
    open(to = target) {
      target = to;
      state = 'open';
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((closed) => server.close(closed));
    },
  };
}

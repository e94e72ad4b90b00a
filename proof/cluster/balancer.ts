/** A TCP balancer: checks each node's readiness and leads new connections to ready nodes in turn. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export interface Balancer extends AsyncDisposable {
  url: string;
  /** Where nodes are now. */
  lead(ports: readonly number[]): void;
}

const LOOK_EVERY_MS = 200;
const LOOK_WITHIN_MS = 1_000;

export async function startBalancer(ports: readonly number[]): Promise<Balancer> {
  let all = ports;
  let ready: number[] = [];
  let next = 0;
  const sockets = new Set<Socket>();
  const isReady = (port: number): Promise<boolean> =>
    fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(LOOK_WITHIN_MS) }).then(
      ({ ok }) => ok,
      () => false,
    );
  const look = async (): Promise<void> => {
    const asked = all;
    const answers = await Promise.all(asked.map(isReady));
    ready = asked.filter((_, i) => answers[i]);
  };
  await look();
  const timer = setInterval(() => void look(), LOOK_EVERY_MS);
  const server = createServer((near) => {
    sockets.add(near);
    near.on('close', () => sockets.delete(near));
    near.on('error', () => {});
    const port = ready[next++ % Math.max(1, ready.length)];
    if (port === undefined) return void near.destroy();
    const far = connect(port, '127.0.0.1');
    far.on('error', () => near.destroy());
    near.on('close', () => far.destroy());
    near.pipe(far).pipe(near);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
    lead(now) {
      all = now;
    },
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      for (const socket of sockets) socket.destroy();
      await new Promise((closed) => server.close(closed));
    },
  };
}

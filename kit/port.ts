/** A port for a server that cannot choose one itself. */
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** Finds a port of 127.0.0.1 that is free now; another process may take it before its use. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

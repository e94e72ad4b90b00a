/** Starts and stops the service: opens its parts, adds the routes, listens. */

import type { App } from '../api/http/app.ts';
import { createServer } from '../api/http/server.ts';
import { letGo, openClosing } from '../api/http/stop.ts';
import { ensureFirstKey, firstKeyShown } from '../api/keys/bootstrap.ts';
import { makeFirstLink } from '../api/users/links.ts';
import { Unavailable } from '../db/db.ts';
import { StartRefused } from '../db/start-refused.ts';
import type { Config } from './config.ts';
import { type Options, openParts } from './parts.ts';
import { addRoutes } from './routes.ts';

export interface Service {
  /** The address it listens on, such as http://127.0.0.1:8080. */
  address: string;
  /** The first key, on the first start only, and until it was shown. */
  firstKey: string | undefined;
  /** Records that the first key was shown. Until this settles, the next start replaces a key that was never used. */
  firstKeyShown(): Promise<void>;
  /** Makes a link that signs the operator in to the console, once. */
  makeLink(): Promise<string>;
  /** Stops being ready, finishes requests in flight, closes everything. */
  close(): Promise<void>;
}

/** Throws StartRefused, or the error of the part that failed to open; parts that were open are closed again. */
export async function startService(options: Options): Promise<Service> {
  await using opened = new AsyncDisposableStack();
  const started = await open(options, opened).catch((error: unknown) => {
    throw error instanceof Unavailable ? new StartRefused(toRefusal(error, options.config), { cause: error }) : error;
  });
  // From here on the parts live as long as the service.
  const parts = opened.move();
  return { ...started, close: () => parts.disposeAsync() };
}

/** Says why the records cannot be used; the first cause says most. */
function toRefusal(error: Error, { databaseUrl, dataDir }: Config): string {
  let first = error;
  while (first.cause instanceof Error) first = first.cause;
  return databaseUrl === null
    ? `The records in ${dataDir} cannot be used: ${first.message}. If they are damaged, restore a backup.`
    : `The database of POSTERN_DATABASE_URL cannot be used: ${first.message}.`;
}

async function open(options: Options, opened: AsyncDisposableStack): Promise<Omit<Service, 'close'>> {
  const parts = await openParts(options, opened);
  const { config, own, db, clock, deliverer, streams } = parts;
  const app: App = createServer(options.logger);
  const closeServer = openClosing(app);
  await addRoutes(app, parts);
  opened.defer(async () => {
    own.notReady = 'The service is stopping.';
    await letGo(app, config.stopDelaySeconds * 1000);
    // In parallel with requests in flight: all of it has to end within the same ten seconds.
    const drained = deliverer.close();
    await streams.close();
    await closeServer();
    await drained;
  });
  const address = await app.listen({ host: config.host, port: config.port });
  // Only now: a start that fails, such as on a port in use, creates no key.
  const firstKey = await ensureFirstKey(db, config.bootstrapKey, clock.now());
  own.notReady = undefined;
  own.listening.resolve();
  return {
    address,
    firstKey,
    firstKeyShown: () => firstKeyShown(db),
    makeLink: async () => address + (await makeFirstLink(parts)),
  };
}

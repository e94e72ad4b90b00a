/** Guards a site behind a service of Fastly Compute. */
import type { EdgeOptions } from './edge/edge.ts';
import type { Environment } from './edge/settings.ts';
import { openSite } from './edge/site.ts';

export { SETTINGS } from './edge/settings.ts';

/** An event of `fetch`. */
interface FetchEvent {
  request: Request;
  client: { address?: string | null; geo?: { country_code?: string | null } | null };
  waitUntil(work: Promise<unknown>): void;
}

export interface FastlyOptions extends Partial<EdgeOptions> {
  /** The names of the backends; `postern` and `origin` by default. */
  backends?: { postern: string; origin: string };
}

/** Reads the settings at each request: an instance of Compute answers one. */
export function guardSite(
  read: () => Promise<Environment>,
  { backends = { postern: 'postern', origin: 'origin' }, ...options }: FastlyOptions = {},
): (event: FetchEvent) => Promise<Response> {
  const through =
    (backend: string): typeof fetch =>
    (input, init) =>
      fetch(input, { ...init, backend } as RequestInit);
  return async (event) => {
    const settings = await read();
    if (options.origin === undefined && !settings.POSTERN_ORIGIN) {
      throw new TypeError('Set POSTERN_ORIGIN: the origin of the site');
    }
    const site = openSite(settings, { platform: 'fastly', fetch: through(backends.postern), ...options });
    const { address, geo } = event.client;
    const known = { ip: address ?? undefined, country: geo?.country_code ?? undefined };
    const later = (work: Promise<unknown>): void => event.waitUntil(work);
    return site.handle(event.request, { known, later }, (sent) => through(backends.origin)(sent));
  };
}

/** Guards a site of Netlify from an edge function: `export default guardSite()`. */
import type { EdgeOptions } from './edge/edge.ts';
import type { Environment } from './edge/settings.ts';
import { openSite, type SiteGuard } from './edge/site.ts';

interface Context {
  ip?: string;
  geo?: { country?: { code?: string } };
  next(request: Request): Promise<Response>;
  waitUntil?(work: Promise<unknown>): void;
}

interface Global {
  Netlify?: { env: { toObject(): Environment } };
}

/** `options` add to the variables of the site, and win over them. */
export function guardSite(
  options: Partial<EdgeOptions> = {},
): (request: Request, context: Context) => Promise<Response> {
  let site: SiteGuard | undefined;
  return (request, context) => {
    site ??= openSite((globalThis as Global).Netlify?.env.toObject() ?? {}, { platform: 'netlify', ...options });
    return site.handle(
      request,
      {
        known: { ip: context.ip, country: context.geo?.country?.code },
        later: context.waitUntil && ((work) => context.waitUntil?.(work)),
      },
      (sent) => context.next(sent),
    );
  };
}

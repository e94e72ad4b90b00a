/** Guards the site behind a Cloudflare Worker: `export default guardSite()`. */
import type { EdgeOptions } from './edge/edge.ts';
import type { Known } from './edge/options.ts';
import type { Environment } from './edge/settings.ts';
import { openSites } from './edge/site.ts';

interface Context {
  waitUntil(work: Promise<unknown>): void;
}

interface Worker {
  fetch(request: Request, environment: Environment, context: Context): Promise<Response>;
}

/** The facts that Cloudflare states about a request; `botManagement` comes with its Enterprise plan. */
interface Properties {
  country?: string;
  verifiedBotCategory?: string;
  botManagement?: { score?: number; verifiedBot?: boolean };
}

/** A lower score is likely a program, says Cloudflare. */
const PERSON_MIN = 30;

/** `options` add to the settings of the Worker, and win over them. */
export function guardSite(options: Partial<EdgeOptions> = {}): Worker {
  const siteFor = openSites({ platform: 'cloudflare', ...options });
  return {
    fetch: (request, environment, context) =>
      siteFor(environment).handle(
        request,
        { known: readKnown(request), later: (work) => context.waitUntil(work) },
        // On a route of a zone, this reaches the origin.
        (sent) => fetch(sent),
      ),
  };
}

function readKnown(request: Request): Known {
  const { country, verifiedBotCategory = '', botManagement = {} } = (request as { cf?: Properties }).cf ?? {};
  const isVerified = verifiedBotCategory !== '' || botManagement.verifiedBot === true;
  const { score = 0 } = botManagement;
  return {
    // Cloudflare overwrites what a visitor sends by this name, unlike X-Forwarded-For.
    ip: request.headers.get('cf-connecting-ip') ?? undefined,
    country,
    isBot: isVerified || (score > 0 && score < PERSON_MIN),
    isVerified,
  };
}

/** The core with the settings of the environment, for the adapters of all platforms. */
import { assets } from './assets.ts';
import { type Edge, type EdgeOptions, openEdge } from './edge.ts';
import { openFiles } from './files.ts';
import { refusals } from './refusals.ts';
import { type Environment, readSettings } from './settings.ts';
import { openStatus } from './status.ts';
import { type Visit, visitOfFetch } from './visit.ts';

export interface SiteGuard extends Edge {
  /** Answers a file for crawlers, or the status, for platforms that serve by themselves; undefined: the site does. */
  file(request: Request): Promise<Response | undefined>;
}

/** `more` wins over the environment. Throws TypeError with the name of a setting that is missing or wrong. */
export function openSite(environment: Environment, more: Partial<EdgeOptions> = {}): SiteGuard {
  const { assets: servesAssets, files, ...settings } = readSettings(environment);
  const report = (error: unknown): void => console.error(`Postern: ${String(error)}`);
  const options: EdgeOptions = {
    ...settings,
    assets: servesAssets ? assets : undefined,
    refusals,
    report,
    ...more,
  };
  const status = openStatus(options);
  const published = options.file ?? (files && options.mode !== 'off' ? openFiles(options) : undefined);
  const file = async (visit: Visit): Promise<Response | undefined> => (await status(visit)) ?? published?.(visit);
  return { ...openEdge({ ...options, file }), file: (request) => file(visitOfFetch(request)) };
}

/** Returns what opens the site once, for platforms that hand over the environment with each request. */
export function openSites(more: Partial<EdgeOptions>): (environment: Environment) => SiteGuard {
  const sites = new WeakMap<Environment, SiteGuard>();
  return (environment) => {
    const site = sites.get(environment) ?? openSite(environment, more);
    sites.set(environment, site);
    return site;
  };
}

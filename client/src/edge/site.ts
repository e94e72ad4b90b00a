/** The core with the settings of the environment, for the adapters of all platforms. */
import { assets } from './assets.ts';
import { type Edge, type EdgeOptions, openEdge } from './edge.ts';
import { openFiles } from './files.ts';
import { refusals } from './refusals.ts';
import { type Environment, readSettings } from './settings.ts';

/** `more` wins over the environment. Throws TypeError with the name of a setting that is missing or wrong. */
export function openSite(environment: Environment, more: Partial<EdgeOptions> = {}): Edge {
  const { assets: servesAssets, files, ...settings } = readSettings(environment);
  const report = (error: unknown): void => console.error(`Postern: ${String(error)}`);
  const options: EdgeOptions = {
    ...settings,
    assets: servesAssets ? assets : undefined,
    refusals,
    report,
    ...more,
  };
  return openEdge({ file: files ? openFiles(options) : undefined, ...options });
}

/** Returns what opens the site once, for platforms that hand over the environment with each request. */
export function openSites(more: Partial<EdgeOptions>): (environment: Environment) => Edge {
  const sites = new WeakMap<Environment, Edge>();
  return (environment) => {
    const site = sites.get(environment) ?? openSite(environment, more);
    sites.set(environment, site);
    return site;
  };
}

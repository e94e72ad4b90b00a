/** The core of the adapters: `@postern/client/edge`. Web APIs only; nothing runs when it is imported. */
export { type Assets, assets } from './assets.ts';
export { type Edge, type EdgeOptions, openEdge, type Serve, type Visiting } from './edge.ts';
export { openFiles } from './files.ts';
export type { Known } from './options.ts';
export { type Refusals, refusals } from './refusals.ts';
export { type Environment, readSettings } from './settings.ts';
export { openSite, type SiteGuard } from './site.ts';
export type { Verdict } from './verdict.ts';
export type { Visit } from './visit.ts';

/** The settings of an adapter, from the environment of its platform. The same names everywhere. */
import type { EdgeOptions } from './edge.ts';
import { given } from './given.ts';

/** The variables. Some may be no texts: platforms bind other things beside them. */
export type Environment = Readonly<Record<string, unknown>>;

export interface Settings extends Omit<EdgeOptions, 'assets'> {
  /** Serves styles, scripts and fonts without asking; false by default. */
  assets: boolean;
  /** Serves robots.txt and the other signals of the site as Postern publishes them; true by default. */
  files: boolean;
}

/** The names of the settings that every platform has, but for the key. */
export const SETTINGS = [
  'POSTERN_URL',
  'POSTERN_ORIGIN',
  'POSTERN_ASK',
  'POSTERN_ON_ERROR',
  'POSTERN_MODE',
  'POSTERN_UNKNOWN',
  'POSTERN_TIMEOUT_MS',
  'POSTERN_ASSETS',
  'POSTERN_FILES',
  'POSTERN_IP',
  'POSTERN_COUNTRY',
] as const;

/** The settings without a default: only the operator can choose them. */
const REQUIRED = {
  POSTERN_URL: 'where Postern answers',
  POSTERN_KEY: 'a secret key with access:check',
  POSTERN_ASK: 'programs or everyone',
  POSTERN_ON_ERROR: 'deny or allow',
};

/** Throws TypeError with the name of a setting that is missing or wrong. */
export function readSettings(environment: Environment): Settings {
  const choice = (name: string, values: readonly string[]): string | undefined => {
    const text = environment[name];
    if (typeof text !== 'string' || text === '') return undefined;
    if (values.length > 0 && !values.includes(text)) throw new TypeError(`${name} must be ${values.join(' or ')}`);
    return text;
  };
  const text = (name: string): string | undefined => choice(name, []);
  const flag = (name: string): boolean | undefined => {
    const found = choice(name, ['true', 'false']);
    return found === undefined ? undefined : found === 'true';
  };
  for (const [name, what] of Object.entries(REQUIRED))
    if (text(name) === undefined) throw new TypeError(`Set ${name}: ${what}`);
  const timeoutMs = text('POSTERN_TIMEOUT_MS') ?? '500';
  if (!/^[1-9]\d{0,4}$/.test(timeoutMs)) throw new TypeError('POSTERN_TIMEOUT_MS must be milliseconds, 1 to 99999');
  const settings = given({
    url: text('POSTERN_URL'),
    key: text('POSTERN_KEY'),
    ask: choice('POSTERN_ASK', ['programs', 'everyone']),
    onError: choice('POSTERN_ON_ERROR', ['deny', 'allow']),
    origin: text('POSTERN_ORIGIN'),
    mode: choice('POSTERN_MODE', ['enforce', 'observe', 'off']),
    unknown: choice('POSTERN_UNKNOWN', ['deny', 'allow']),
    ip: flag('POSTERN_IP'),
    country: flag('POSTERN_COUNTRY'),
    trustBots: flag('POSTERN_TRUST_BOTS'),
  });
  const [isServing, files] = [flag('POSTERN_ASSETS') ?? false, flag('POSTERN_FILES') ?? true];
  return { ...settings, timeoutMs: Number(timeoutMs), assets: isServing, files } as Settings;
}

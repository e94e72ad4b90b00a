/**
 * Settings come from the environment, each also as `…_FILE`, which names a file that holds the value (for secrets).
 * They are read once at start; all faults are listed together.
 */
import { readFileSync } from 'node:fs';
import { OIDC_SETTINGS, type OidcConfig, toOidcConfig } from '../api/users/oidc.ts';
import { COLUMNS_SETTINGS, toClickHouse, toRecordDays } from '../decisions/history/clickhouse/settings.ts';
import { toWitnessConfig, WITNESS_SETTINGS, type WitnessConfig } from '../decisions/history/witness/settings.ts';
import { PRIVACY_SETTINGS, type PrivacyConfig, toPrivacyConfig } from '../decisions/precision.ts';
import type { Range } from '../lib/ip-range.ts';
import { readLines } from '../lib/lines.ts';
import { machineMiB } from '../lib/machine.ts';
import { LEAST_MIB, usualMiB } from '../lib/memory.ts';
import { nearest } from '../lib/text.ts';
import type { PublisherShown } from '../reports/partner/schema.ts';
import { DIRECTORY_SETTINGS, type DirectorySource, toDirectorySource } from '../requesters/crawlers/source.ts';
import {
  oneOf,
  readAuditDays,
  readBoolean,
  readContact,
  readDatabase,
  readKey,
  readLogo,
  readMaxAge,
  readMemory,
  readOrigins,
  readPort,
  readPublicUrl,
  readRanges,
  readStopDelay,
  readText,
} from './read-setting.ts';

const RECEIPTS = ['off', 'private', 'public'] as const;
const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
const LOG_FORMATS = ['auto', 'text', 'json'] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];

/**
 * Every setting: description, default (null: none) and parser. `read` throws a sentence that says what to do instead.
 */
export const SETTINGS = {
  POSTERN_HOST: { doc: 'Address to listen on', default: '127.0.0.1', read: readText },
  POSTERN_PORT: { doc: 'Port to listen on; 0 takes a free one', default: '8080', read: readPort },
  POSTERN_DATA_DIR: { doc: 'Folder of the embedded storage', default: './data', read: readText },
  POSTERN_DATABASE_URL: {
    doc: 'postgres://… for a cluster; unset: embedded storage',
    default: null,
    read: readDatabase,
  },
  ...COLUMNS_SETTINGS,
  POSTERN_BOOTSTRAP_KEY: {
    doc: 'First secret key, instead of one made at the first start',
    default: null,
    read: readKey,
  },
  POSTERN_PUBLIC_URL: {
    doc: 'https://… under which others reach this service, such as https://access.example.com; needed to issue License tokens and for AuthZEN discovery',
    default: null,
    read: readPublicUrl,
  },
  POSTERN_TRUSTED_PROXIES: {
    doc: 'Addresses or CIDR ranges, separated by commas, whose X-Forwarded-For counts',
    default: '',
    read: readRanges,
  },
  POSTERN_CORS_ORIGINS: {
    doc: 'Origins, separated by commas, whose pages may ask the API with a public key, such as https://www.example.com; * for all',
    default: '',
    read: readOrigins,
  },
  ...OIDC_SETTINGS,
  POSTERN_WEBHOOKS: {
    doc: 'false delivers to no webhook, for a trial of a backup; deliveries wait until it is true',
    default: 'true',
    read: readBoolean,
  },
  POSTERN_WEBHOOK_ALLOW_PRIVATE: {
    doc: 'true allows webhooks, lists and signature agents at private addresses and over http; for development',
    default: 'false',
    read: readBoolean,
  },
  POSTERN_CRAWLER_LISTS: {
    doc: 'false fetches no address list of the crawler directory; those of requesters are still fetched',
    default: 'true',
    read: readBoolean,
  },
  ...DIRECTORY_SETTINGS,
  POSTERN_PUBLISHER: { doc: 'Sender of printed statements: name; street; city', default: '', read: readLines },
  POSTERN_PUBLISHER_CONTACT: {
    doc: 'Mail address or URL that partners see, for questions',
    default: null,
    read: readContact,
  },
  POSTERN_PUBLISHER_LOGO: {
    doc: 'File of the logo that partners see: SVG, PNG or JPEG',
    default: null,
    read: readLogo,
  },
  ...PRIVACY_SETTINGS,
  POSTERN_RECEIPTS: {
    doc: 'private seals decisions in a log that cannot be changed unnoticed, and gives receipts; public also publishes its checkpoints under /log; both need POSTERN_PUBLIC_URL',
    default: 'off',
    read: oneOf(RECEIPTS),
  },
  ...WITNESS_SETTINGS,
  POSTERN_AUDIT_DAYS: { doc: 'Days for which the audit log is kept, at least 30', default: '365', read: readAuditDays },
  POSTERN_DECISION_MAX_AGE: {
    doc: 'Seconds, at most 300, for which clients may cache an answer; cached uses are not counted',
    default: '0',
    read: readMaxAge,
  },
  POSTERN_STOP_DELAY: {
    doc: 'Seconds, at most 60, for which a stopping node keeps answering, not ready, until its load balancer has noticed',
    default: '0',
    read: readStopDelay,
  },
  POSTERN_ARCHIVE_DIR: {
    doc: 'Folder of archived decisions (postern archive), which reports include; the same for all nodes',
    default: null,
    read: readText,
  },
  POSTERN_MEMORY: {
    doc: `Memory of the whole process in MiB, at least ${LEAST_MIB}; unset: half of what the machine or container has, at most 2048`,
    default: null,
    read: readMemory,
  },
  POSTERN_LOG_LEVEL: { doc: `One of ${LOG_LEVELS.join(', ')}`, default: 'info', read: oneOf(LOG_LEVELS) },
  POSTERN_LOG_FORMAT: {
    doc: 'auto, text or json; auto is text on a terminal, JSON elsewhere',
    default: 'auto',
    read: oneOf(LOG_FORMATS),
  },
} as const;

/** Settings of the command; the service ignores them. */
const OF_THE_COMMANDS = ['POSTERN_URL', 'POSTERN_KEY', 'POSTERN_WEBHOOK_SECRET', 'POSTERN_ENV'];

export interface Config extends WitnessConfig {
  host: string;
  port: number;
  dataDir: string;
  databaseUrl: string | null;
  /** URL of the columns in ClickHouse, with its password; null: each node keeps its own in a file. */
  clickHouse: string | null;
  /** Days after which decisions move there; null: none does. */
  recordDays: number | null;
  bootstrapKey: string | null;
  /** Without a slash at the end. */
  publicUrl: string | null;
  trustedProxies: Range[];
  /** Origins as browsers send them, or `*`. */
  corsOrigins: string[];
  oidc: OidcConfig | null;
  /** False: this node sends no deliveries. */
  webhooks: boolean;
  webhookAllowPrivate: boolean;
  crawlerLists: boolean;
  /** Where the crawler directory is renewed from; null: it is that of this version. */
  crawlerDirectory: DirectorySource | null;
  /** `off`: decisions are not sealed; `public`: everybody may read the checkpoints. */
  receipts: (typeof RECEIPTS)[number];
  auditDays: number;
  /** Lines of the sender of statements. */
  publisher: readonly string[];
  /** The publisher as partners see it. */
  publisherShown: PublisherShown;
  /** Limits what is kept of visitors, and for how long. */
  privacy: PrivacyConfig;
  /** Duration in seconds. */
  decisionMaxAge: number;
  archiveDir: string | null;
  stopDelaySeconds: number;
  /** The memory of the whole process. */
  memoryMiB: number;
  logLevel: string;
  logFormat: LogFormat;
}

/** Every fault of the settings, one line each. */
export class ConfigError extends Error {
  readonly faults: readonly string[];
  constructor(faults: readonly string[]) {
    super(`Invalid settings:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
    this.faults = faults;
  }
}

export function readConfig(env: Record<string, string | undefined>): Config {
  const faults: string[] = [];
  const values = new Map<string, unknown>();
  for (const [name, { default: preset, read }] of Object.entries(SETTINGS)) {
    try {
      const text = readSettingText(env, name) ?? preset;
      values.set(name, text === null ? null : read(text));
    } catch (error) {
      faults.push(`${name}: ${(error as Error).message}`);
    }
  }
  const receipts = values.get('POSTERN_RECEIPTS');
  if (receipts !== 'off' && values.get('POSTERN_PUBLIC_URL') === null) {
    faults.push('POSTERN_RECEIPTS: their log is named after POSTERN_PUBLIC_URL; set that too');
  }
  const clickHouse = toClickHouse(values, faults);
  const recordDays = toRecordDays(values, faults);
  const witness = toWitnessConfig(values, faults);
  const oidc = toOidcConfig(values, faults);
  const crawlerDirectory = toDirectorySource(values, faults);
  if (faults.length > 0) throw new ConfigError(faults);
  return {
    host: values.get('POSTERN_HOST') as string,
    port: values.get('POSTERN_PORT') as number,
    dataDir: values.get('POSTERN_DATA_DIR') as string,
    databaseUrl: values.get('POSTERN_DATABASE_URL') as string | null,
    clickHouse,
    recordDays,
    bootstrapKey: values.get('POSTERN_BOOTSTRAP_KEY') as string | null,
    publicUrl: values.get('POSTERN_PUBLIC_URL') as string | null,
    trustedProxies: values.get('POSTERN_TRUSTED_PROXIES') as Range[],
    corsOrigins: values.get('POSTERN_CORS_ORIGINS') as string[],
    oidc,
    webhooks: values.get('POSTERN_WEBHOOKS') as boolean,
    webhookAllowPrivate: values.get('POSTERN_WEBHOOK_ALLOW_PRIVATE') as boolean,
    crawlerLists: values.get('POSTERN_CRAWLER_LISTS') as boolean,
    crawlerDirectory,
    publisher: values.get('POSTERN_PUBLISHER') as string[],
    publisherShown: {
      name: (values.get('POSTERN_PUBLISHER') as string[])[0] ?? null,
      contact: values.get('POSTERN_PUBLISHER_CONTACT') as string | null,
      logo: values.get('POSTERN_PUBLISHER_LOGO') as string | null,
    },
    receipts: receipts as Config['receipts'],
    ...witness,
    auditDays: values.get('POSTERN_AUDIT_DAYS') as number,
    privacy: toPrivacyConfig(values),
    decisionMaxAge: values.get('POSTERN_DECISION_MAX_AGE') as number,
    archiveDir: values.get('POSTERN_ARCHIVE_DIR') as string | null,
    stopDelaySeconds: values.get('POSTERN_STOP_DELAY') as number,
    memoryMiB: (values.get('POSTERN_MEMORY') as number | null) ?? usualMiB(machineMiB()),
    logLevel: values.get('POSTERN_LOG_LEVEL') as string,
    logFormat: values.get('POSTERN_LOG_FORMAT') as LogFormat,
  };
}

/** Reads this setting alone. Throws a sentence that says what to do instead. */
export function readMemoryMiB(env: Record<string, string | undefined>): number {
  const text = readSettingText(env, 'POSTERN_MEMORY');
  return text === undefined ? usualMiB(machineMiB()) : readMemory(text);
}

/** Returns unknown POSTERN_ names. They deserve a warning: a typo leaves a default in force. */
export function unknownSettings(env: Record<string, string | undefined>): string[] {
  const known = [...Object.keys(SETTINGS), ...OF_THE_COMMANDS].flatMap((name) => [name, `${name}_FILE`]);
  return Object.keys(env)
    .filter((name) => name.startsWith('POSTERN_') && !known.includes(name))
    .map((name) => {
      const near = nearest(name, known);
      return `there is no setting ${name}${near === undefined ? '' : `; did you mean ${near}?`}`;
    });
}

/** Reads the setting's text, or the file that its `…_FILE` names. */
function readSettingText(env: Record<string, string | undefined>, name: string): string | undefined {
  const file = env[`${name}_FILE`];
  if (file === undefined) return env[name];
  if (env[name] !== undefined) throw new Error(`is set twice, also as ${name}_FILE; keep one`);
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new Error(`the file that ${name}_FILE names cannot be read (${(error as NodeJS.ErrnoException).code})`, {
      cause: error,
    });
  }
}

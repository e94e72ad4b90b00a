/** Where the columns are, by the settings. What names the place names neither the user nor the password. */

import type { ClickHouseCluster } from './replicated.ts';

/** User, host and database, and nothing after them. */
const FORM = /^clickhouses?:\/\/[^\s/?#]+\/[^\s/?#]+$/;
const EXAMPLE = 'clickhouse://postern:password@host:8123/postern';

/** Events and quotas of a month need younger decisions. */
const RECORD_DAYS_MIN = 35;
const RECORD_DAYS_MAX = 36_500;

export const COLUMNS_SETTINGS = {
  POSTERN_COLUMNS: {
    doc: 'On PostgreSQL: clickhouse://user@host:8123/database, or clickhouses:// for TLS, keeps the columns there, for all nodes; unset: each node keeps its own in a file',
    default: null,
    read: readColumns,
  },
  POSTERN_COLUMNS_CLUSTER: {
    doc: 'Name of a cluster of ClickHouse whose shards and replicas hold the columns of POSTERN_COLUMNS, and decisions that move; unset: one server does',
    default: null,
    read: readCluster,
  },
  POSTERN_COLUMNS_PASSWORD: {
    doc: 'Password for POSTERN_COLUMNS, where its URL has none',
    default: null,
    read: readPassword,
  },
  POSTERN_RECORD_DAYS: {
    doc: `Days after which decisions move from PostgreSQL to the ClickHouse of POSTERN_COLUMNS, at least ${RECORD_DAYS_MIN}; unset: never`,
    default: null,
    read: readRecordDays,
  },
} as const;

function readColumns(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') {
    throw new Error(
      `nodes no longer ask each other for reports: unset it, and this node keeps its own columns; or name a database of ClickHouse, such as ${EXAMPLE}`,
    );
  }
  const isFit = FORM.test(text) && url !== undefined && url.hostname !== '' && isEncoded(text);
  if (!isFit) {
    throw new Error(
      `must be a URL such as ${EXAMPLE}, with special characters percent-encoded; clickhouses:// for TLS`,
    );
  }
  return url;
}

function isEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

function readCluster(text: string): string {
  if (/^[A-Za-z_][\w-]{0,63}$/.test(text)) return text;
  throw new Error('must be a name of remote_servers in the settings of ClickHouse: letters, digits, _ and -');
}

function readPassword(text: string): string {
  if (text === '') throw new Error('is empty; give a value or unset it');
  return text;
}

function readRecordDays(text: string): number {
  const days = Number(text);
  if (!/^\d{1,5}$/.test(text) || days < RECORD_DAYS_MIN || days > RECORD_DAYS_MAX) {
    throw new Error(`must be a number of days from ${RECORD_DAYS_MIN} to ${RECORD_DAYS_MAX}, not "${text}"`);
  }
  return days;
}

/** Returns the days after which decisions move; null: none does. */
export function toRecordDays(values: ReadonlyMap<string, unknown>, faults: string[]): number | null {
  const days = (values.get('POSTERN_RECORD_DAYS') ?? null) as number | null;
  if (days === null) return null;
  if (values.get('POSTERN_COLUMNS') === null) {
    faults.push('POSTERN_RECORD_DAYS: decisions move to the ClickHouse of POSTERN_COLUMNS; set that too');
  }
  const decisionDays = values.get('POSTERN_DECISION_DAYS');
  if (typeof decisionDays === 'number' && decisionDays <= days) {
    faults.push(
      `POSTERN_DECISION_DAYS: decisions leave the log after ${decisionDays} days, before POSTERN_RECORD_DAYS (${days}) moves them; set more days, or unset one`,
    );
  }
  return days;
}

/** Returns the URL of ClickHouse with its password, and the cluster as a parameter; null: the columns are in a file. */
export function toClickHouse(values: ReadonlyMap<string, unknown>, faults: string[]): string | null {
  const url = values.get('POSTERN_COLUMNS') as URL | null | undefined;
  // Its own fault is listed already.
  if (url === undefined) return null;
  const password = values.get('POSTERN_COLUMNS_PASSWORD') as string | null | undefined;
  const cluster = values.get('POSTERN_COLUMNS_CLUSTER') as string | null | undefined;
  if (url === null) {
    if (cluster != null) faults.push('POSTERN_COLUMNS_CLUSTER: is for POSTERN_COLUMNS, which is not set');
    if (password != null) faults.push('POSTERN_COLUMNS_PASSWORD: is for POSTERN_COLUMNS, which is not set');
    return null;
  }
  if (values.get('POSTERN_DATABASE_URL') === null) {
    faults.push('POSTERN_COLUMNS: is for nodes on PostgreSQL; unset it, or set POSTERN_DATABASE_URL');
  }
  if (password != null) {
    if (url.password !== '') faults.push('POSTERN_COLUMNS_PASSWORD: the URL of POSTERN_COLUMNS has one too; keep one');
    url.password = encodeURIComponent(password);
  }
  url.port ||= url.protocol === 'clickhouses:' ? '8443' : '8123';
  url.username ||= 'default';
  if (cluster != null) url.searchParams.set('cluster', cluster);
  return url.href;
}

/** Returns the cluster of a URL and the database in it; null: it is one server's. */
export function clusterOf(url: string): ClickHouseCluster | null {
  const { pathname, searchParams } = new URL(url);
  const name = searchParams.get('cluster');
  return name === null ? null : { name, database: decodeURIComponent(pathname.slice(1)) };
}

/** Returns host and database. */
export function placeName(url: string): string {
  const { host, pathname } = new URL(url);
  return host + decodeURIComponent(pathname);
}

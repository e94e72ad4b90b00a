/** Lines of JSON: nginx with the names of its variables, Cloudflare Logpush, CloudFront, and Caddy. */
import { parseTime } from './times.ts';
import { isReading, type LoggedVisit, present, readRequestTarget, toBytes, toStatus, withOwnHost } from './visit.ts';

type Fields = Record<string, unknown>;

const ADDRESS = ['remote_addr', 'ClientIP', 'c-ip', 'client_ip', 'remote_ip', 'ip'];
/** Addresses that proxies forwarded to the server. */
const FORWARDED = [
  'http_x_forwarded_for',
  'proxy_add_x_forwarded_for',
  'x_forwarded_for',
  'x-forwarded-for',
  'X-Forwarded-For',
  'cs(X-Forwarded-For)',
];
const TIME = [
  'time_iso8601',
  'time_local',
  'msec',
  'EdgeStartTimestamp',
  'timestamp(ms)',
  'timestamp',
  '@timestamp',
  'time',
  'ts',
  'EdgeEndTimestamp',
];
const HOST = ['host', 'http_host', 'server_name', 'ClientRequestHost', 'x-host-header', 'cs(Host)', 'cs-host'];
const TARGET = ['request_uri', 'ClientRequestURI', 'uri', 'ClientRequestPath', 'cs-uri-stem'];
const METHOD = ['request_method', 'method', 'ClientRequestMethod', 'cs-method'];
const QUERY = ['args', 'query_string', 'cs-uri-query'];
const STATUS = ['status', 'EdgeResponseStatus', 'sc-status'];
const BYTES = ['body_bytes_sent', 'bytes_sent', 'EdgeResponseBytes', 'sc-bytes', 'size', 'bytes'];
const REFERRER = ['http_referer', 'referer', 'referrer', 'ClientRequestReferer', 'cs(Referer)', 'cs-referer'];
const USER_AGENT = ['http_user_agent', 'user_agent', 'ClientRequestUserAgent', 'cs(User-Agent)', 'cs-user-agent'];

/** Returns undefined for a line that is no JSON, or no request. */
export function readJsonLine(line: string): LoggedVisit | undefined {
  const fields = toFields(line);
  if (fields === undefined) return undefined;
  const address = readAddresses(fields);
  const at = readTime(fields);
  const status = first(fields, STATUS);
  if (address === null || at === undefined || status === undefined) return undefined;
  return withOwnHost({
    address,
    at,
    host: readText(fields, HOST),
    target: toTarget(fields),
    isRead: isReading(toMethod(fields)),
    status: toStatus(status),
    bytes: toBytes(first(fields, BYTES)),
    referrer: decoded(readText(fields, REFERRER)),
    userAgent: decoded(readText(fields, USER_AGENT)),
  });
}

/** The forwarded addresses, then the one that the server saw. */
function readAddresses(fields: Fields): string | null {
  const forwarded = decoded(readText(fields, FORWARDED)?.replaceAll(/%2c/gi, ',') ?? null);
  const seen = readText(fields, ADDRESS);
  return forwarded === null || seen === null ? (seen ?? forwarded) : `${forwarded}, ${seen}`;
}

function toFields(line: string): Fields | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const fields = value as Fields;
  const { request } = fields;
  return typeof request === 'object' && request !== null ? { ...fields, ...fromCaddy(request as Fields) } : fields;
}

/** Caddy nests the request, and each of its headers is a list. */
function fromCaddy(request: Fields): Fields {
  const headers = (request.headers ?? {}) as Record<string, unknown>;
  const header = (name: string): unknown => (Array.isArray(headers[name]) ? headers[name][0] : undefined);
  return {
    remote_ip: request.client_ip ?? request.remote_ip,
    host: request.host,
    uri: request.uri,
    method: request.method,
    http_referer: header('Referer'),
    http_user_agent: header('User-Agent'),
    // Caddy has walked them where it names the client.
    http_x_forwarded_for: request.client_ip === undefined ? forwardedIn(headers) : undefined,
    request: undefined,
  };
}

const forwardedIn = (headers: Record<string, unknown>): string | undefined => {
  const values = headers['X-Forwarded-For'];
  return Array.isArray(values) ? values.join(',') : undefined;
};

function first(fields: Fields, names: readonly string[]): unknown {
  for (const name of names) {
    const value = fields[name];
    if (value !== undefined && value !== null && value !== '') return value;
  }
  return undefined;
}

function readText(fields: Fields, names: readonly string[]): string | null {
  const value = first(fields, names);
  return typeof value === 'string' ? present(value) : null;
}

/** CloudFront writes the day and the time of the day apart. */
function readTime(fields: Fields): number | undefined {
  const { date, time } = fields;
  if (typeof date === 'string' && typeof time === 'string' && /^\d\d:/.test(time)) return parseTime(`${date}T${time}`);
  return parseTime(first(fields, TIME));
}

function toMethod(fields: Fields): string | null {
  const { request } = fields;
  return readText(fields, METHOD) ?? (typeof request === 'string' ? request.slice(0, request.indexOf(' ')) : null);
}

function toTarget(fields: Fields): string | null {
  const { request } = fields;
  const target = readText(fields, TARGET) ?? (typeof request === 'string' ? readRequestTarget(request) : null);
  if (target === null || target.includes('?')) return target;
  const query = readText(fields, QUERY);
  return query === null ? target : `${target}?${query}`;
}

/** CloudFront percent-encodes what others write as it is: such a text has no space of its own. */
function decoded(text: string | null): string | null {
  if (text === null || !text.includes('%20') || text.includes(' ')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

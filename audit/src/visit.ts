/** A request of a visitor, read from one line of an access log. */

export interface LoggedVisit {
  /** Unchanged from the log: one or, separated by commas, those that proxies forwarded; perhaps a host name. */
  address: string;
  /** Epoch ms. */
  at: number;
  /** null: the log names none. */
  host: string | null;
  /** Path and query; null for a request that is no HTTP. */
  target: string | null;
  /** GET or HEAD, or the log does not say. */
  isRead: boolean;
  status: number;
  bytes: number;
  referrer: string | null;
  userAgent: string | null;
}

/** Log values that stand for nothing. */
export const present = (text: string | null | undefined): string | null =>
  text === undefined || text === null || text === '' || text === '-' ? null : text;

export const isReading = (method: string | null): boolean => method === null || method === 'GET' || method === 'HEAD';

const REQUEST = /^[A-Za-z]{1,32} (\S+)(?: HTTP\/\d(?:\.\d)?)?$/;

/** Returns the target of a request line such as `GET /a?b HTTP/1.1`; null when it is none. */
export function readRequestTarget(request: string): string | null {
  const first = request.indexOf(' ');
  const last = request.lastIndexOf(' ');
  // The common case, without a regular expression.
  if (first > 0 && last > first && request.startsWith('HTTP/', last + 1) && !hasSpace(request, first + 1, last)) {
    return request.slice(first + 1, last);
  }
  return REQUEST.exec(request)?.[1] ?? null;
}

const SLASH = 0x2f;
const WITH_HOST = /^https?:\/\/([^/?#]+)([^]*)$/i;

/** Takes the host of a target such as `http://www.example.com/a`: servers follow it, not the header. */
export function withOwnHost(visit: LoggedVisit): LoggedVisit {
  const { target } = visit;
  if (target === null || target.charCodeAt(0) === SLASH) return visit;
  const [, host, rest = ''] = WITH_HOST.exec(target) ?? [];
  return host === undefined ? visit : { ...visit, host, target: rest.startsWith('/') ? rest : `/${rest}` };
}

const hasSpace = (text: string, from: number, to: number): boolean => {
  const space = text.indexOf(' ', from);
  return space !== -1 && space < to;
};

export const toStatus = (value: unknown): number => {
  const status = Number(value);
  return Number.isInteger(status) && status >= 0 && status <= 999 ? status : 0;
};

export const toBytes = (value: unknown): number => {
  const bytes = Number(value);
  return Number.isFinite(bytes) && bytes > 0 && bytes < 1e15 ? Math.floor(bytes) : 0;
};

/** The forms of text that a pattern cannot say: one row each, for validation, error messages and documentation. */
import { Set as setFormat } from 'typebox/format';
import { FIRST_MOMENT, LAST_MOMENT } from '../lib/clock.ts';
import { parseAddress, parseRange } from '../lib/ip-range.ts';

export const FORMATS = {
  'http-url': {
    test: isHttpUrl,
    expected: 'must be an absolute http or https URL, such as https://example.com/article',
  },
  'plain-text': {
    test: (text: string): boolean => !/\p{Cc}/u.test(text),
    expected: 'must not contain control characters',
  },
  ip: {
    test: (text: string): boolean => parseAddress(text) !== undefined,
    expected: 'must be an IPv4 or IPv6 address in canonical form, such as 203.0.113.7',
  },
  'ip-range': {
    test: (text: string): boolean => parseRange(text) !== undefined,
    expected:
      'must be an IPv4 or IPv6 address or CIDR range in canonical form without bits behind the prefix, such as 203.0.113.0/24',
  },
  'time-zone': {
    test: isTimezone,
    expected: 'must be an IANA time zone such as Europe/Berlin',
  },
  'date-time': {
    test: (text: string): boolean => parseMoment(text) !== undefined,
    expected: 'must be an ISO 8601 moment with a time zone, such as 2026-11-21T09:30:00Z',
  },
} as const;

for (const [name, { test }] of Object.entries(FORMATS)) setFormat(name, test);

/** Asked twice: Intl knows a minus sign that Temporal does not, Temporal takes a whole date with a zone for a zone. */
function isTimezone(name: string): boolean {
  try {
    Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name);
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

function isHttpUrl(text: string): boolean {
  if (!/^https?:\/\/[^\s\\]+$/i.test(text) || !URL.canParse(text)) return false;
  return new URL(text).hostname !== '';
}

/** Epoch milliseconds of an ISO 8601 moment with `Z` or an offset; undefined when it is none (also 30 February). */
export function parseMoment(text: string): number | undefined {
  const match = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d)(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/.exec(text);
  if (match === null) return undefined;
  const [year, month, day] = match.slice(1, 4).map(Number) as [number, number, number];
  const last = new Date(Date.UTC(year, month, 0)).getUTCDate();
  if (month < 1 || month > 12 || day < 1 || day > last) return undefined;
  const at = Date.parse(text);
  // Not a number is neither.
  return at >= FIRST_MOMENT && at <= LAST_MOMENT ? at : undefined;
}

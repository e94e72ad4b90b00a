/** The formats of text that a pattern cannot express, each with its test and its error text. */
import { Set as setFormat } from 'typebox/format';
import { hasZoneForm, parseIso } from '../../lib/clock.ts';
import { parseAddress, parseRange } from '../../lib/ip-range.ts';
import { isServablePattern, parsePathPattern } from '../../lib/urls/url-pattern.ts';
import { minorDigits } from '../../rules/terms/money.ts';

interface Format {
  test(text: string): boolean;
  /** Completes "`field` …" in the error. */
  expected: string;
  /** Returns the accepted texts, of which the error names the nearest. */
  known?: () => Iterable<string>;
}

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
      'must be an IPv4 or IPv6 address or CIDR range in canonical form, with no bits set past the prefix, such as 203.0.113.0/24',
  },
  'host-pattern': {
    test: isServablePattern,
    expected: 'must be a host such as www.example.com, *.example.com or localhost:8080, without a scheme or path',
  },
  'path-pattern': {
    test: (text: string): boolean => parsePathPattern(text) !== undefined,
    expected:
      'must be a path pattern such as /news/ or /*.pdf$: it begins with / or *, has no spaces, //, /../, %2F or %5C, and every other escape is complete',
  },
  currency: {
    test: (text: string): boolean => minorDigits(text) !== undefined,
    expected: 'must be an ISO 4217 currency code in capitals, such as EUR',
  },
  'time-zone': {
    test: isTimezone,
    expected: 'must be an IANA time zone such as Europe/Berlin',
  },
  'date-time': {
    test: (text: string): boolean => parseIso(text) !== undefined,
    expected: 'must be an ISO 8601 time with a time zone, such as 2026-11-21T09:30:00Z',
  },
} as const satisfies Record<string, Format>;

const formats = new Map<string, Format>();

/** Adds a format whose texts a room above this one knows. */
export function addFormat(name: string, format: Format): void {
  formats.set(name, format);
  setFormat(name, format.test);
}

for (const [name, format] of Object.entries(FORMATS)) addFormat(name, format);

export const findFormat = (name: string): Format | undefined => formats.get(name);

/** All tests are needed: Intl and Temporal accept different names. */
function isTimezone(name: string): boolean {
  if (!hasZoneForm(name)) return false;
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

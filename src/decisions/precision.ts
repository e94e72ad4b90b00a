/** The settings that limit what is kept of visitors, and for how long. */
import { type IpPrecision, parseIpPrecision } from '../lib/ip-precision.ts';

export const USER_AGENT_PRECISIONS = ['full', 'crawler-only', 'none'] as const;
export type UserAgentPrecision = (typeof USER_AGENT_PRECISIONS)[number];

/** Limits the inputs of a check that are written. */
export interface Precision {
  readonly ip: IpPrecision;
  readonly userAgent: UserAgentPrecision;
}

export const FULL_PRECISION: Precision = { ip: 'full', userAgent: 'full' };

export interface PrivacyConfig extends Precision {
  /** Days after which the inputs of decisions are erased; null: never. */
  inputDays: number | null;
  /** Days after which decisions leave the log; null: never. */
  decisionDays: number | null;
}

/** Events of decisions are kept for 30 days and need the decisions. */
export const DECISION_DAYS_MIN = 31;
const DAYS_MAX = 36_500;

export const PRIVACY_SETTINGS = {
  POSTERN_IP_PRECISION: {
    doc: 'Part of an address that is kept: full, none, or prefixes of IPv4 and IPv6 such as /24,/48',
    default: 'full',
    read: readIpPrecision,
  },
  POSTERN_USER_AGENT: {
    doc: `Part of a user agent that is kept: ${USER_AGENT_PRECISIONS.join(', ')}`,
    default: 'full',
    read: readUserAgent,
  },
  POSTERN_INPUT_DAYS: {
    doc: 'Days after which the inputs of decisions are erased; unset: never',
    default: null,
    read: (text: string) => readDays(text, 1),
  },
  POSTERN_DECISION_DAYS: {
    doc: `Days after which decisions leave the log, at least ${DECISION_DAYS_MIN}; daily counts remain; unset: never`,
    default: null,
    read: (text: string) => readDays(text, DECISION_DAYS_MIN),
  },
} as const;

/** Reads the parsed settings. */
export const toPrivacyConfig = (values: ReadonlyMap<string, unknown>): PrivacyConfig => ({
  ip: values.get('POSTERN_IP_PRECISION') as IpPrecision,
  userAgent: values.get('POSTERN_USER_AGENT') as UserAgentPrecision,
  inputDays: values.get('POSTERN_INPUT_DAYS') as number | null,
  decisionDays: values.get('POSTERN_DECISION_DAYS') as number | null,
});

function readIpPrecision(text: string): IpPrecision {
  const precision = parseIpPrecision(text);
  if (precision === undefined) {
    throw new Error(`must be full, none, or prefixes of IPv4 and IPv6 such as /24,/48, not "${text}"`);
  }
  return precision;
}

function readUserAgent(text: string): UserAgentPrecision {
  const known = USER_AGENT_PRECISIONS.find((one) => one === text);
  if (known === undefined) throw new Error(`must be one of ${USER_AGENT_PRECISIONS.join(', ')}, not "${text}"`);
  return known;
}

function readDays(text: string, least: number): number {
  const days = Number(text);
  if (!/^\d{1,5}$/.test(text) || days < least || days > DAYS_MAX) {
    throw new Error(`must be a number of days from ${least} to ${DAYS_MAX}, not "${text}"`);
  }
  return days;
}

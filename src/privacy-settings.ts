/** The settings that limit what is kept of visitors. */
import { type IpPrecision, parseIpPrecision } from './lib/ip-precision.ts';

export const USER_AGENT_PRECISIONS = ['full', 'crawler-only', 'none'] as const;
export type UserAgentPrecision = (typeof USER_AGENT_PRECISIONS)[number];

/** Limits the inputs of a check that are written. */
export interface Precision {
  readonly ip: IpPrecision;
  readonly userAgent: UserAgentPrecision;
}

export const FULL_PRECISION: Precision = { ip: 'full', userAgent: 'full' };

export const PRIVACY_SETTINGS = {
  POSTERN_IP_PRECISION: {
    doc: 'What is kept of addresses: full, none, or ranges of IPv4 and IPv6 such as /24,/48',
    default: 'full',
    read: readIpPrecision,
  },
  POSTERN_USER_AGENT: {
    doc: `What is kept of user agents: ${USER_AGENT_PRECISIONS.join(', ')}`,
    default: 'full',
    read: readUserAgent,
  },
} as const;

/** Reads the parsed settings. */
export const privacyOf = (values: ReadonlyMap<string, unknown>): Precision => ({
  ip: values.get('POSTERN_IP_PRECISION') as IpPrecision,
  userAgent: values.get('POSTERN_USER_AGENT') as UserAgentPrecision,
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

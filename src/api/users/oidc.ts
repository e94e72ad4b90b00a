/** Settings of the OpenID Connect provider: their parsers, and what they need of each other. */
import { ROLE_NAMES, type Role } from '../permissions.ts';

export interface OidcConfig {
  issuer: string;
  clientId: string;
  /** null: a public client, which proves itself by PKCE alone. */
  clientSecret: string | null;
  scopes: string;
  roleClaim: string;
  /** The first value that the claim has decides; `*` stands for everybody. */
  roles: (readonly [value: string, role: Role])[];
}

/** A part of the SETTINGS in `config`. */
export const OIDC_SETTINGS = {
  POSTERN_OIDC_ISSUER: {
    doc: 'OpenID Connect provider for signing in to the console, such as https://login.example.com; unset: none',
    default: null,
    read: readIssuer,
  },
  POSTERN_OIDC_CLIENT_ID: { doc: 'Id of this service at the provider', default: null, read: readGiven },
  POSTERN_OIDC_CLIENT_SECRET: {
    doc: 'Secret of this service at the provider; unset: a public client',
    default: null,
    read: readGiven,
  },
  POSTERN_OIDC_SCOPES: {
    doc: 'Scopes that are requested from the provider',
    default: 'openid profile email',
    read: readScopes,
  },
  POSTERN_OIDC_ROLE_CLAIM: {
    doc: 'Claim that names the roles or groups of a person',
    default: 'groups',
    read: readGiven,
  },
  POSTERN_OIDC_ROLES: {
    doc: `Role (${ROLE_NAMES.join(', ')}) for each value of the claim, such as staff=viewer,heads=admin; the first match counts, * matches everyone; or JSON`,
    default: null,
    read: readRoles,
  },
} as const;

/** Returns the provider; null without one. Adds to `faults` what is missing. */
export function toOidcConfig(values: ReadonlyMap<string, unknown>, faults: string[]): OidcConfig | null {
  const value = <T>(name: string): T => values.get(`POSTERN_OIDC_${name}`) as T;
  const issuer = value<string | null>('ISSUER');
  for (const name of ['CLIENT_ID', 'ROLES']) {
    if (issuer != null && value(name) === null) faults.push(`POSTERN_OIDC_${name}: POSTERN_OIDC_ISSUER needs it`);
  }
  for (const name of ['CLIENT_ID', 'CLIENT_SECRET', 'ROLES']) {
    if (issuer === null && value(name) != null) {
      faults.push(`POSTERN_OIDC_${name}: has no effect without POSTERN_OIDC_ISSUER`);
    }
  }
  if (issuer == null) return null;
  return {
    issuer,
    clientId: value('CLIENT_ID'),
    clientSecret: value('CLIENT_SECRET'),
    scopes: value('SCOPES'),
    roleClaim: value('ROLE_CLAIM'),
    roles: value('ROLES'),
  };
}

function readGiven(text: string): string {
  if (text.trim() === '') throw new Error('is empty; give a value or unset it');
  return text;
}

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

function readIssuer(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && LOOPBACK.test(url.hostname));
  if (url === undefined || !isSafe || url.search !== '' || url.hash !== '') {
    throw new Error('must be an https URL, exactly as the provider states its issuer; http only on this machine');
  }
  return text;
}

function readScopes(text: string): string {
  if (!text.split(' ').includes('openid'))
    throw new Error(`must contain openid, such as "openid email", not "${text}"`);
  return text;
}

function readRoles(text: string): OidcConfig['roles'] {
  const pairs = text.trimStart().startsWith('{') ? jsonPairs(text) : textPairs(text);
  if (pairs.length === 0) throw new Error('is empty; give at least one, such as staff=viewer');
  for (const [value, role] of pairs) {
    if (value !== '' && (ROLE_NAMES as string[]).includes(role)) continue;
    throw new Error(`"${value}=${role}" must be a value of the claim and one of ${ROLE_NAMES.join(', ')}`);
  }
  return pairs as [string, Role][];
}

/** For values with a comma in them, such as `cn=heads,ou=groups`. */
function jsonPairs(text: string): [string, string][] {
  try {
    return Object.entries(JSON.parse(text) as Record<string, string>);
  } catch {
    throw new Error('is not JSON, such as {"staff": "viewer"}');
  }
}

const textPairs = (text: string): [string, string][] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => [part.slice(0, part.lastIndexOf('=')).trim(), part.slice(part.lastIndexOf('=') + 1).trim()]);

/**
 * The OpenID Connect provider: authorization code flow with PKCE (OpenID Connect Core 1.0, RFC 7636, RFC 9207). The
 * library loads with the first sign-in. What the provider publishes counts for a minute at most, its keys for one
 * sign-in, so that new keys count at once. A person is not led to a provider that does not answer.
 */
import type * as openid from 'openid-client';
import { type Clock, monotonicMs } from '../../lib/clock.ts';
import type { OidcConfig } from './oidc.ts';
import { findClaim, type Person, pickEmail, pickPersonName, pickRole, SignInFailed } from './person.ts';
import type { TripSecrets } from './trip.ts';

export const CALLBACK = '/console/oidc/callback';

const KNOWN_FOR_MS = 60_000;
/** Many who begin ask it once. */
const UP_FOR_MS = 2_000;
const TIMEOUT_S = 10;
/** A person waits at the sign-in page. */
const DISCOVERY_TIMEOUT_S = 5;
const BODY_BYTES_MAX = 1024 * 1024;
/** Clocks of others may be off by so much. */
const TOLERANCE_S = 60;
const CAUSES_MAX = 5;
const SUBJECT = /^[\x20-\x7e]{1,255}$/;

export interface Provider {
  issuer: string;
  /** Names the provider and this service's registration there. */
  id: string;
  /** Returns the provider's page for signing in. Throws SignInFailed. */
  begin(origin: string, secrets: TripSecrets): Promise<string>;
  /** Returns who came back with `callback`, the whole URL. Throws SignInFailed. */
  finish(callback: URL, secrets: TripSecrets): Promise<Person>;
}

export function openProvider(config: OidcConfig, clock: Clock): Provider {
  let known: { metadata: Promise<openid.ServerMetadata>; at: number } | undefined;

  function metadata(client: typeof openid, forMs: number): Promise<openid.ServerMetadata> {
    if (known === undefined || monotonicMs() - known.at > forMs) {
      const found = discover(client, config);
      known = { metadata: found, at: monotonicMs() };
      found.catch(() => {
        if (known?.metadata === found) known = undefined;
      });
    }
    return known.metadata;
  }

  async function connect(forMs: number): Promise<{ client: typeof openid; connection: openid.Configuration }> {
    const client = await import('openid-client');
    try {
      return { client, connection: toConnection(client, config, await metadata(client, forMs), clock) };
    } catch (error) {
      throw toFailure(client, error);
    }
  }

  return {
    issuer: config.issuer,
    id: `${config.issuer} ${config.clientId}`,
    async begin(origin, { state, nonce, verifier }) {
      const { client, connection } = await connect(UP_FOR_MS);
      const url = client.buildAuthorizationUrl(connection, {
        redirect_uri: origin + CALLBACK,
        scope: config.scopes,
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        state,
        nonce,
      });
      return url.href;
    },
    async finish(callback, { state, nonce, verifier }) {
      const { client, connection } = await connect(KNOWN_FOR_MS);
      try {
        const tokens = await client.authorizationCodeGrant(connection, callback, {
          pkceCodeVerifier: verifier,
          expectedState: state,
          expectedNonce: nonce,
          idTokenExpected: true,
        });
        const claims = tokens.claims() as openid.IDToken;
        if (!SUBJECT.test(claims.sub)) throw new SignInFailed('failed', 'the subject is not one of OpenID Connect');
        const hasAll = findClaim(claims, config.roleClaim) !== undefined && claims.name !== undefined;
        const asks = !hasAll && connection.serverMetadata().userinfo_endpoint !== undefined;
        const more = asks ? await client.fetchUserInfo(connection, tokens.access_token, claims.sub) : {};
        return toPerson({ ...more, ...claims }, config, state);
      } catch (error) {
        throw toFailure(client, error);
      }
    },
  };
}

const toPerson = (claims: openid.IDToken, config: OidcConfig, state: string): Person => ({
  issuer: config.issuer,
  subject: claims.sub,
  name: pickPersonName(claims),
  email: pickEmail(claims),
  role: pickRole(claims, config),
  state,
});

async function discover(client: typeof openid, config: OidcConfig): Promise<openid.ServerMetadata> {
  const connection = await client.discovery(new URL(config.issuer), config.clientId, undefined, undefined, {
    execute: isPlain(config) ? [client.allowInsecureRequests] : [],
    timeout: DISCOVERY_TIMEOUT_S,
    [client.customFetch]: boundedFetch,
  });
  return connection.serverMetadata();
}

function toConnection(
  client: typeof openid,
  config: OidcConfig,
  server: openid.ServerMetadata,
  clock: Clock,
): openid.Configuration {
  const skew = Math.round((clock.now() - Date.now()) / 1000);
  const times = { [client.clockSkew]: skew, [client.clockTolerance]: TOLERANCE_S };
  const connection = new client.Configuration(server, config.clientId, times, pickClientAuth(client, config, server));
  connection.timeout = TIMEOUT_S;
  connection[client.customFetch] = boundedFetch;
  if (isPlain(config)) client.allowInsecureRequests(connection);
  client.enableNonRepudiationChecks(connection);
  return connection;
}

/** A provider on this machine, for development. */
const isPlain = ({ issuer }: OidcConfig): boolean => issuer.startsWith('http:');

/** Basic authentication is the default of OpenID Connect. */
function pickClientAuth(client: typeof openid, { clientSecret }: OidcConfig, server: openid.ServerMetadata) {
  if (clientSecret === null) return client.None();
  const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
  return methods.includes('client_secret_basic')
    ? client.ClientSecretBasic(clientSecret)
    : client.ClientSecretPost(clientSecret);
}

const boundedFetch: openid.CustomFetch = async (url, options) => {
  const answer = await fetch(url, options);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of answer.body ?? []) {
    bytes += (chunk as Uint8Array).length;
    if (bytes > BODY_BYTES_MAX) throw new SignInFailed('failed', `${url} answers more than 1 MiB`);
    chunks.push(chunk as Uint8Array);
  }
  const isEmpty = [101, 204, 205, 304].includes(answer.status);
  return new Response(isEmpty ? null : Buffer.concat(chunks), { status: answer.status, headers: answer.headers });
};

/** Errors of the library may hold tokens: only their codes and sentences are kept. */
function toFailure(client: typeof openid, error: unknown): SignInFailed {
  if (error instanceof SignInFailed) return error;
  if (error instanceof client.AuthorizationResponseError) {
    return new SignInFailed('refused', `the provider answered ${error.error}`);
  }
  const chain = [...causesOf(error)];
  const status = chain.map((one) => (one as Partial<Response>).status).find((one) => typeof one === 'number');
  const isDown = chain.some(({ name, message }) => message === 'fetch failed' || name === 'TimeoutError');
  const reason = isDown || (status ?? 0) >= 500 ? 'unavailable' : 'failed';
  return new SignInFailed(reason, [...new Set(chain.map(describeError))].filter((text) => text !== '').join(': '));
}

function* causesOf(error: unknown): Generator<Error & { code?: string }> {
  for (let one = error, i = 0; one !== null && typeof one === 'object' && i < CAUSES_MAX; i++) {
    yield one as Error;
    one = (one as Error).cause;
  }
}

const describeError = (one: Error & { code?: string }): string =>
  one instanceof Error ? `${one.code ?? one.name} ${one.message}` : '';

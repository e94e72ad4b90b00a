/**
 * The license server of RSL (OLP): tokens for licenses that license.xml publishes, the keys that verify them, and their
 * state. RSL names its operations by the address of the server: `/olp`.
 */
import type { FastifyRequest } from 'fastify';
import { Failure } from '../../api/errors.ts';
import type { App } from '../../api/http/app.ts';
import { openGate } from '../../api/http/gate.ts';
import { route } from '../../api/http/route.ts';
import { OAuthError } from '../../api/oauth-error.ts';
import type { LicenseToken, LicenseTokens } from '../../requesters/license-tokens/license-tokens.ts';
import { isValid } from '../../rules/facts.ts';
import type { Published, Signals } from '../signals.ts';
import { type ClientDeps, findClient } from './client.ts';
import { findGranted, type GrantDeps } from './grant.ts';
import { findOffered, readResource } from './offered.ts';
import { IntrospectAnswer, IntrospectRequest, KeySet, REFUSALS, TokenAnswer, TokenRequest } from './schema.ts';

/** Forms encode a character of a license as up to three bytes. */
const FORM_MAX = 64 * 1024;
const KEYS_FOR_S = 300;

export interface LicenseServerDeps extends ClientDeps, GrantDeps {
  signals: Pick<Signals, 'now' | 'read'>;
  licenseTokens: LicenseTokens;
}

export function licenseServerRoutes(app: App, deps: LicenseServerDeps): void {
  const gate = openGate();
  const { licenseTokens } = deps;

  const issue = {
    tag: 'License server',
    permission: null,
    formMax: FORM_MAX,
    id: 'getLicenseToken',
    is: 'Accept a license, and get a token for it',
    body: TokenRequest,
    answers: { 200: TokenAnswer, ...REFUSALS, 402: REFUSALS[400] },
  };
  route(app, 'POST /olp/token', issue, async (request, reply) => {
    reply.header('cache-control', 'no-store');
    const client = await findClient(deps, request.headers.authorization);
    return gate.pass(client.requesterId, () => issueTo(deps, request, client));
  });

  const keys = {
    tag: 'License server',
    permission: null,
    id: 'getLicenseTokenKeys',
    is: 'Read the keys that verify License tokens',
    answer: KeySet,
  };
  route(app, 'GET /olp/key', keys, async (_request, reply) => {
    if (licenseTokens.server === null) return { keys: [] };
    reply.header('cache-control', `public, max-age=${KEYS_FOR_S}`);
    return { keys: [...(await licenseTokens.keys.published())] };
  });

  const introspect = {
    tag: 'License server',
    permission: 'access:check',
    secretKey: true,
    formMax: FORM_MAX,
    id: 'introspectLicenseToken',
    is: 'Read the state of a License token',
    body: IntrospectRequest,
    answers: { 200: IntrospectAnswer, ...REFUSALS },
  } as const;
  route(app, 'POST /olp/introspect', introspect, async ({ body }, reply) => {
    reply.header('cache-control', 'no-store');
    const token = await licenseTokens.resolve(body.token);
    if (token === undefined || !(await isHeld(deps, token))) return { active: false };
    return toState(token, licenseTokens.server as string);
  });
}

type Client = Awaited<ReturnType<typeof findClient>>;
type Asked = FastifyRequest & { body: { grant_type: string; license: string; resource: string } };

async function issueTo(deps: LicenseServerDeps, request: Asked, { requesterId, tokenId, until, known }: Client) {
  const { grant_type: grantType, license, resource } = request.body;
  if (grantType !== 'client_credentials') {
    throw new OAuthError(400, 'unsupported_grant_type', 'The grant_type must be client_credentials.');
  }
  const { place, audience } = readResource(resource);
  const published = await readSite(deps, place.host);
  const offered = findOffered(published, { resource, license });
  const author = { caller: { keyId: tokenId }, id: request.id, idempotency: null, source: () => request.source() };
  const granted = await findGranted(deps, { author, requesterId, known, published, place, offered });
  const ends = [until, granted.expiresAt].filter((end) => end !== null);
  const grant = { requesterId, tokenId, licenseId: granted.id, audience };
  const { token, expiresIn } = await deps.licenseTokens.issue(grant, ends.length === 0 ? null : Math.min(...ends));
  return { access_token: token, token_type: 'License' as const, expires_in: expiresIn };
}

/** Throws OAuthError for a site without a license server. */
async function readSite({ signals }: LicenseServerDeps, host: string): Promise<Published> {
  const published = signals.now(host) ?? (await signals.read(host).catch(orUnknown));
  if (published !== undefined && published.licenses.length > 0) return published;
  throw new OAuthError(400, 'invalid_target', 'The resource is on no site of this license server.');
}

function orUnknown(error: unknown): undefined {
  if (error instanceof Failure && error.code === 'site_not_found') return undefined;
  throw error;
}

async function isHeld({ snapshot, clock }: LicenseServerDeps, token: LicenseToken): Promise<boolean> {
  const { facts, licenses } = await snapshot.findRequester(token.requesterId);
  const license = licenses.find(({ id }) => id === token.licenseId);
  return facts !== null && !facts.suspended && license !== undefined && isValid(license, clock.now());
}

const toState = (token: LicenseToken, server: string) => ({
  active: true,
  token_type: 'License' as const,
  client_id: token.requesterId,
  sub: token.requesterId,
  license_id: token.licenseId,
  aud: token.audience,
  iss: server,
  iat: token.issuedAt / 1000,
  exp: token.expiresAt / 1000,
});

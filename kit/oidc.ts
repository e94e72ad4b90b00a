/** A real OpenID Connect provider (oidc-provider) on a port of its own, with people, and faults on demand. */
import { createSign, generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as oidc from 'oidc-provider';

type Claims = Record<string, unknown>;

export interface TestProvider extends AsyncDisposable {
  issuer: string;
  /** The claims of each person, by login. */
  people: Map<string, Claims>;
  /** Settings for a service that signs in here. */
  env: Record<string, string>;
  /** Names the service: where it may send people back to. */
  register(serviceUrl: string): void;
  /** Replaces its keys. */
  rotate(): void;
  /** Changes the claims of ID tokens, which it signs anew, until it is undefined. */
  tamper: ((claims: Claims) => Claims) | undefined;
  /** Signs ID tokens with a key that it does not publish. */
  forge: boolean;
  /** Answers 503 to everything. */
  down: boolean;
  /** Takes requests and never answers. */
  silent: boolean;
  /** The number of requests to an endpoint. */
  asked(path: string): number;
  /** Listens no more. */
  stop(): Promise<void>;
}

export interface ProviderOptions {
  /** The claims of a person are in the answer of the userinfo endpoint alone. */
  slimTokens?: boolean;
}

interface Key {
  kid: string;
  key: KeyObject;
}

const newKey = (): Key => ({
  kid: randomUUID(),
  key: generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey,
});

export async function startProvider({ slimTokens = false }: ProviderOptions = {}): Promise<TestProvider> {
  let signing = newKey();
  const stranger = newKey().key;
  let urls: string[] = [];
  let provider: oidc.Provider | undefined;
  const counts = new Map<string, number>();
  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const renew = (): void => {
    provider = new oidc.Provider(issuer, configuration({ urls, signing, people: test.people, slimTokens }));
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? '').split('?')[0] as string;
    counts.set(path, (counts.get(path) ?? 0) + 1);
    if (test.silent) return;
    if (test.down || provider === undefined) return void response.writeHead(503).end();
    if (path.startsWith('/interaction/')) return interact(provider, request, response);
    if (path === '/token') rewrite(response, (body) => resign(body, test, test.forge ? stranger : signing.key));
    await provider.callback()(request, response);
  }

  async function stop(): Promise<void> {
    if (!server.listening) return;
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  }

  const test: TestProvider = {
    issuer,
    people: new Map(),
    env: {
      POSTERN_OIDC_ISSUER: issuer,
      POSTERN_OIDC_CLIENT_ID: 'postern',
      POSTERN_OIDC_CLIENT_SECRET: 'a-secret-of-the-provider',
      POSTERN_OIDC_SCOPES: 'openid profile email groups',
      POSTERN_OIDC_ROLES: 'heads=admin,desk=editor,sales=licensing,staff=viewer',
    },
    register(serviceUrl) {
      urls = [...urls, `${serviceUrl}/console/oidc/callback`];
      renew();
    },
    rotate() {
      signing = newKey();
      renew();
    },
    tamper: undefined,
    forge: false,
    down: false,
    silent: false,
    asked: (path) => counts.get(path) ?? 0,
    stop,
    [Symbol.asyncDispose]: stop,
  };
  return test;
}

/** Signs the ID token of an answer anew, with what a test changes of it. */
function resign(body: string, { tamper = (same) => same }: TestProvider, key: KeyObject): string {
  const tokens = JSON.parse(body) as { id_token?: string };
  if (tokens.id_token === undefined) return body;
  const [head = '', claims = ''] = tokens.id_token.split('.');
  const changed = tamper(JSON.parse(Buffer.from(claims, 'base64url').toString()) as Claims);
  const signed = `${head}.${Buffer.from(JSON.stringify(changed)).toString('base64url')}`;
  const signature = createSign('RSA-SHA256').update(signed).sign(key, 'base64url');
  return JSON.stringify({ ...tokens, id_token: `${signed}.${signature}` });
}

interface Registered {
  urls: string[];
  signing: Key;
  people: Map<string, Claims>;
  slimTokens: boolean;
}

const configuration = ({ urls, signing, people, slimTokens }: Registered): object => ({
  clients: [{ client_id: 'postern', client_secret: 'a-secret-of-the-provider', redirect_uris: urls }],
  jwks: { keys: [{ ...signing.key.export({ format: 'jwk' }), kid: signing.kid, alg: 'RS256', use: 'sig' }] },
  claims: { openid: ['sub'], profile: ['name'], email: ['email'], groups: ['groups'] },
  conformIdTokenClaims: slimTokens,
  cookies: { keys: ['a key of cookies'] },
  features: { devInteractions: { enabled: false }, userinfo: { enabled: true } },
  interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
  pkce: { required: () => true },
  ttl: { AccessToken: 600, AuthorizationCode: 60, IdToken: 600, Interaction: 600, Session: 600, Grant: 600 },
  findAccount: (_: unknown, login: string) => ({
    accountId: login,
    claims: async () => ({ sub: login, ...people.get(login) }),
  }),
  // Everybody agrees to what the service asks.
  async loadExistingGrant({ oidc: { client, session, provider } }: GrantContext) {
    const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId });
    grant.addOIDCScope('openid profile email groups');
    await grant.save();
    return grant;
  },
});

interface GrantContext {
  oidc: { client: { clientId: string }; session: { accountId: string }; provider: oidc.Provider };
}

/** The page for signing in: takes any login; the provider refuses the login `refused`. */
async function interact(provider: oidc.Provider, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method === 'GET') {
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end('<form method="post"><label>Login <input name="login"></label><button>Go on</button></form>');
    return;
  }
  let body = '';
  for await (const chunk of request) body += chunk;
  const login = new URLSearchParams(body).get('login') ?? '';
  const result = login === 'refused' ? { error: 'access_denied' } : { login: { accountId: login } };
  await provider.interactionFinished(request, response, result);
}

/** Changes the text of an answer before it is sent. */
function rewrite(response: ServerResponse, change: (body: string) => string): void {
  const end = response.end.bind(response);
  response.end = ((body?: string | Buffer) => {
    const text = change(body?.toString() ?? '');
    response.setHeader('content-length', Buffer.byteLength(text));
    return end(text);
  }) as typeof response.end;
}

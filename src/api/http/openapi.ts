/** The OpenAPI document, generated from the schemas that validate, and a page that shows it. */
import type { FastifyInstance, RouteOptions } from 'fastify';
import { PERMISSIONS, type Permission } from '../permissions.ts';
import type { App } from './app.ts';
import { type ApiDocument, nameSchemas } from './components.ts';
import { ErrorAnswer } from './error-schema.ts';
import { EXAMPLES } from './examples.ts';
import { openOnce, serveLater } from './later.ts';
import { formatSamples, type SampledOperation } from './samples.ts';

/** Describes every route that is registered afterwards. */
export function describeApi(app: App, version: string): void {
  const routes: RouteOptions[] = [];
  app.addHook('onRoute', (route) => void routes.push(route));
  const open = openOnce((inner) => describe(inner, routes, version));
  app.get('/openapi.json', { config: { permission: null }, schema: { hide: true } as never }, async () =>
    (await open()).swagger(),
  );
  serveLater(app, ['/docs', '/docs/*'], open);
}

async function describe(inner: FastifyInstance, routes: readonly RouteOptions[], version: string): Promise<void> {
  const [{ default: swagger }, { default: swaggerUi }] = await Promise.all([
    import('@fastify/swagger'),
    import('@fastify/swagger-ui'),
  ]);
  await inner.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Postern',
        version,
        description: 'Decides who may have what content, on which terms, and can prove what it decided.',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
      // The origin that the document was read from.
      servers: [{ url: '/' }],
      components: {
        securitySchemes: SECURITY_SCHEMES,
        schemas: { Error: ErrorAnswer as never },
        responses: {
          Refused: {
            description: 'Refused',
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
          },
        },
      },
    },
    transform: describeRoute,
    transformObject: (({ openapiObject: document }: { openapiObject: ApiDocument }) => {
      nameSchemas(document);
      const refused = { $ref: '#/components/responses/Refused' };
      for (const operation of Object.values(document.paths).flatMap((path) => Object.values(path))) {
        operation.responses = { '4XX': refused, '5XX': refused, ...operation.responses };
        for (const body of Object.values(operation.requestBody?.content ?? {})) {
          body.example = EXAMPLES[operation.operationId];
        }
      }
      return document;
    }) as never,
  });
  for (const { method, url, schema, config } of routes) {
    const { hide } = (schema ?? {}) as { hide?: boolean };
    if (method !== 'HEAD' && hide !== true && !url.startsWith(ALIAS))
      inner.route({ method, url, schema, config, handler: async () => undefined });
  }
  await inner.register(swaggerUi, {
    routePrefix: '/docs',
    theme: {
      title: 'Postern API',
      favicon: [{ filename: 'mark.svg', rel: 'icon', type: 'image/svg+xml', sizes: 'any', content: MARK }],
    },
    logo: { type: 'image/svg+xml', content: Buffer.from(LOGO), href: '/docs', target: '_self' },
    transformSpecification: (document) => withSamples(document as unknown as ApiDocument) as never,
    staticCSP: true,
    // No document of ours goes to a validator elsewhere.
    uiConfig: { validatorUrl: null as never },
    transformStaticCSP: (policy) => policy.replaceAll(FOREIGN, '').replace(UPGRADE, ''),
  });
}

/** The page alone has code samples: programs that read the document need none. */
function withSamples(document: ApiDocument): ApiDocument {
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const sampled = operation as SampledOperation;
      const samples = formatSamples(method.toUpperCase(), path, sampled);
      sampled.description = [sampled.description, samples].filter((one) => one !== undefined).join('\n\n');
    }
  }
  return document;
}

const SECURITY_SCHEMES = {
  key: { type: 'http', scheme: 'bearer', description: 'An API key: svc_sk_… or svc_pk_…' },
  requesterToken: { type: 'http', scheme: 'bearer', description: 'The token of a requester: svc_rt_…' },
  proxyKey: { type: 'apiKey', in: 'header', name: 'X-Postern-Key', description: 'An API key: svc_sk_…' },
} as const;

/** The mark of the console, and beside it the name. */
const SHAPES =
  '<rect width="32" height="32" rx="7" fill="#3b5bdb"/><path d="M9 27V14a7 7 0 0 1 14 0v13h-4.5V14.2a2.5 2.5 0 0 0-5 0V27z" fill="#fff"/><circle cx="16" cy="20.5" r="1.6" fill="#fff"/>';
const MARK = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">${SHAPES}</svg>`;
const LOGO = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 140 32">${SHAPES}<text x="42" y="23" font-family="system-ui, sans-serif" font-size="20" font-weight="600" fill="#fff">Postern</text></svg>`;

const TAGS = {
  Access: 'Checks: who may have what content now; and the log of all decisions.',
  Analytics: 'Reports of what was decided, for whom and how often; and what needs attention now.',
  'API keys': 'Keys of servers and pages, with permissions.',
  AuthZEN: 'The same decisions in the form of OpenID AuthZEN 1.0, which gateways speak.',
  'Audit log': 'Every edit, with its author.',
  Collections: 'Policies for everything at some addresses.',
  Content: 'Items: what a publisher owns, each with its address and policy.',
  Crawlers: 'The directory of bots, and the published lists that prove them.',
  Events: 'What happened, as a list and as a stream.',
  Licenses: 'What requesters hold, on which terms.',
  Offers: 'Kinds of licenses that those who are denied may ask for.',
  'License server': 'Tokens for licenses that license.xml publishes, as RSL has them (OLP).',
  Operations: 'Health, status and metrics of the service.',
  Partners: 'What a partner reads and asks with the token of its requester.',
  Policies: 'Ordered rules that decide, with their versions, candidates and previews.',
  Requesters: 'Partners and bots: how each proves who it is, and its tokens.',
  Sites: 'Hosts: how their URLs are read, and the files in which crawlers read the policies.',
  Statements: 'Bills of licenses, with the decisions behind them.',
  Users: 'People who sign in to the console.',
  Webhooks: 'Endpoints that receive events, and their deliveries.',
};

/** A second spelling of a path, with the same operations: it serves old callers, and new ones need not know it. */
const ALIAS = '/v1/api_keys';

/** Hosts that are not ours, and a scheme that allows every host. */
const FOREIGN = / (?:https?:(?:\/\/\S+)?|[\w*-]+(?:\.[\w-]+)+)(?=[ ;]|$)/g;
/** Over plain HTTP the browser would load the page's files by HTTPS, which this port does not serve. */
const UPGRADE = /;?\s*upgrade-insecure-requests/;

interface DescribedRoute {
  schema?: DescribedSchema;
  url: string;
  route: { method: string | string[]; config?: RouteConfig };
}

/** Adds to the schema of a route what its configuration says: permissions and headers. */
function describeRoute({ schema, url, route }: DescribedRoute) {
  const needs = needsText(route.config ?? {});
  const described = { ...needs, ...describeHeaders(route, url, schema) };
  return { schema: { ...schema, ...described, ...describeResponses(schema, route.config) }, url };
}

/** The answers by status in their media types. */
function describeResponses(
  schema: DescribedSchema | undefined,
  { media = {} }: RouteConfig = {},
): { response?: object } {
  const statuses = Object.entries(media);
  if (statuses.length === 0) return {};
  const answers: Record<string, { description?: string; content?: object }> = { ...(schema?.response as object) };
  for (const [status, types] of statuses) {
    const answer = answers[status] ?? {};
    const content = types.map((type) => [type, { schema: schemaAs(type, status === '200' ? answer : ErrorAnswer) }]);
    answers[status] = {
      description: answer.description ?? (status === '200' ? 'Default Response' : 'Refused'),
      content: Object.fromEntries(content),
    };
  }
  return { response: answers };
}

function schemaAs(type: string, json: object): object {
  if (type === 'application/json') return json;
  if (type === 'application/ld+json') return {};
  return type === 'application/problem+json' ? { type: 'object' } : { type: 'string' };
}

function needsText({ permission, secretKey = false, keyHeader, partner }: RouteConfig) {
  if (partner === true) {
    return {
      security: [{ requesterToken: [] }],
      description: 'Needs the token of a requester; answers with its own data.',
    };
  }
  if (!permission) return { security: [] };
  return {
    security: [{ [keyHeader === undefined ? 'key' : 'proxyKey']: [] }],
    description: permissionText([permission].flat(), secretKey),
  };
}

interface RouteConfig {
  permission?: Permission | readonly Permission[] | null;
  secretKey?: boolean;
  partner?: true;
  keyHeader?: string;
  takesIfMatch?: true;
  /** Media types by status, where an answer is not JSON alone. */
  media?: Readonly<Record<string, readonly string[]>>;
}

interface DescribedSchema {
  body?: unknown;
  operationId?: string;
  headers?: unknown;
  response?: unknown;
}

const IDEMPOTENCY_KEY = {
  type: 'string',
  minLength: 1,
  maxLength: 255,
  description:
    'A repeated request with the same key takes effect once and gets the same answer, for 24 hours. Answers without an effect are not kept.',
};
const IF_MATCH = { type: 'string', description: 'An `ETag`: edits the record only if it has not changed since' };
const IF_NONE_MATCH = { type: 'string', description: 'An `ETag`: answers 304 if the record has not changed since' };

/** The headers that mean the same on every route that takes them. */
function describeHeaders(
  { method, config = {} }: { method: string | string[]; config?: RouteConfig },
  url: string,
  schema: DescribedSchema | undefined,
): { headers?: object } {
  const own = (schema?.headers ?? {}) as { properties?: object };
  const isRetried = url.startsWith('/v1') && [method].flat().some((one) => one === 'POST' || one === 'PATCH');
  const properties = {
    ...own.properties,
    ...(isRetried ? { 'Idempotency-Key': IDEMPOTENCY_KEY } : {}),
    ...(config.takesIfMatch === true ? { 'If-Match': IF_MATCH } : {}),
    ...(Object.hasOwn(schema?.response ?? {}, '304') ? { 'If-None-Match': IF_NONE_MATCH } : {}),
  };
  return Object.keys(properties).length === 0 ? {} : { headers: { type: 'object', ...own, properties } };
}

function permissionText(permissions: readonly Permission[], secretKey: boolean): string {
  const each = permissions.map((permission) => `\`${permission}\` (${PERMISSIONS[permission].doc})`);
  const needs = `Needs the permission${each.length === 1 ? '' : 's'} ${each.join(' and ')}.`;
  return secretKey ? `${needs} Not for public keys.` : needs;
}

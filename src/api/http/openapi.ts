/** The OpenAPI document, generated from the schemas that validate, and a page that shows it. */
import type { FastifyInstance, RouteOptions } from 'fastify';
import { PERMISSIONS, type Permission } from '../permissions.ts';
import type { App } from './app.ts';
import { type ApiDocument, nameSchemas } from './components.ts';
import { ErrorAnswer } from './error-schema.ts';
import { openOnce, serveLater } from './later.ts';

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
      // The origin that the document was read from.
      servers: [{ url: '/' }],
      components: {
        securitySchemes: {
          key: { type: 'http', scheme: 'bearer', description: 'An API key: svc_sk_… or svc_pk_…' },
          requesterToken: { type: 'http', scheme: 'bearer', description: 'The token of a requester: svc_rt_…' },
          proxyKey: { type: 'apiKey', in: 'header', name: 'X-Postern-Key', description: 'An API key: svc_sk_…' },
        },
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
    theme: { title: 'Postern API' },
    staticCSP: true,
    // No document of ours goes to a validator elsewhere.
    uiConfig: { validatorUrl: null as never },
    transformStaticCSP: (policy) => policy.replaceAll(FOREIGN, '').replace(UPGRADE, ''),
  });
}

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

/** The answers by status in their media types. CSV beside JSON is left out: generated clients could not type both. */
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

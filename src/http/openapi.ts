/** The API's own description, generated from the schemas that validate, and a page to read it. */
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import { ERRORS } from '../errors.ts';
import { PERMISSIONS } from '../permissions.ts';
import type { App } from './server.ts';

const ErrorSchema = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['code', 'message', 'type', 'requestId'],
      properties: {
        code: { enum: Object.keys(ERRORS) },
        message: { type: 'string' },
        type: { enum: [...new Set(Object.values(ERRORS).map(({ type }) => type))] },
        param: { type: 'string' },
        details: {
          type: 'array',
          items: { type: 'object', properties: { param: { type: ['string', 'null'] }, message: { type: 'string' } } },
        },
        requestId: { type: 'string' },
      },
    },
  },
};

/** Before the routes. */
export async function describeApi(app: App, version: string): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Postern',
        version,
        description: 'Decides who may have what content, on which terms, and can prove what it decided.',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      // Wherever the document was read from.
      servers: [{ url: '/' }],
      components: {
        securitySchemes: {
          key: { type: 'http', scheme: 'bearer', description: 'An API key: svc_sk_… or svc_pk_…' },
          proxyKey: { type: 'apiKey', in: 'header', name: 'X-Postern-Key', description: 'An API key: svc_sk_…' },
        },
        schemas: { Error: ErrorSchema as never },
      },
    },
    transform: ({
      schema,
      url,
      route,
    }: {
      schema?: DescribedSchema;
      url: string;
      route: { method: string | string[]; config?: RouteConfig };
    }) => {
      const { permission, keyHeader } = route.config ?? {};
      const needs = permission
        ? {
            security: [{ [keyHeader === undefined ? 'key' : 'proxyKey']: [] }],
            description: permissionText(permission),
          }
        : { security: [] };
      return {
        schema: { ...schema, ...named(schema, url), ...described(schema), ...needs, ...headersOf(route, url, schema) },
        url,
      };
    },
    transformObject: ((document: {
      openapiObject: { paths: Record<string, Record<string, { responses?: object }>> };
    }) => {
      const error = {
        description: 'Refused',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      };
      for (const path of Object.values(document.openapiObject.paths)) {
        for (const operation of Object.values(path)) {
          operation.responses = { ...operation.responses, '4XX': error, '5XX': error };
        }
      }
      return document.openapiObject;
    }) as never,
  });
  await app.register(swaggerUi, { routePrefix: '/docs', staticCSP: true });
  app.get('/openapi.json', { config: { permission: null }, schema: { hide: true } as never }, async () =>
    app.swagger(),
  );
}

interface RouteConfig {
  permission?: string | null;
  keyHeader?: string;
  takesIfMatch?: true;
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
  description: 'The same request again with the same key has its effect once, and the same answer, for 24 hours',
};
const IF_MATCH = { type: 'string', description: 'An `ETag`: edit only what is still as it was when that was answered' };
const IF_NONE_MATCH = { type: 'string', description: 'An `ETag`: answer 304 if it is still that' };

/** The headers that mean the same wherever they are taken; no route has to name them. */
function headersOf(
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
    ...('304' in ((schema?.response ?? {}) as object) ? { 'If-None-Match': IF_NONE_MATCH } : {}),
  };
  return Object.keys(properties).length === 0 ? {} : { headers: { type: 'object', ...own, properties } };
}

/** The same operations under another spelling of their path need names of their own. */
const named = (schema: { operationId?: string } | undefined, url: string): { operationId?: string } =>
  url.startsWith('/v1/api_keys') && schema?.operationId !== undefined
    ? { operationId: `${schema.operationId}Alias` }
    : {};

/** A body without the keywords that are our own. */
function described(schema: { body?: unknown } | undefined): { body?: object } {
  if (schema?.body === undefined) return {};
  const { itemsApart, fixed, ...body } = schema.body as { itemsApart?: string; fixed?: string[] };
  return { body };
}

const permissionText = (permission: string): string =>
  `Needs the permission \`${permission}\` (${PERMISSIONS[permission as keyof typeof PERMISSIONS].doc}).`;

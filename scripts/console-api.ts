/**
 * Writes console/src/api/operations.ts: the API as the console sees it, as types, from the document that the service itself
 * answers at /openapi.json. `node scripts/console-api.ts --print` only prints it; a test compares.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { pino } from 'pino';
import { startService } from '../src/app.ts';
import { readConfig } from '../src/config.ts';

interface Schema {
  type?: string | string[];
  $ref?: string;
  properties?: Record<string, Schema>;
  patternProperties?: Record<string, Schema>;
  additionalProperties?: boolean | Schema;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  enum?: unknown[];
  const?: unknown;
}

interface Operation {
  parameters?: { name: string; in: string; required?: boolean; schema: Schema }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>;
}

const HEAD = `/** Written by scripts/console-api.ts from /openapi.json; do not edit. */

`;

/** The text of the file for an OpenAPI document. */
function operationsOf(document: { paths: Record<string, Record<string, Operation>> }): string {
  const lines = Object.entries(document.paths)
    .filter(([path]) => path.startsWith('/v1/') && !path.startsWith('/v1/api_keys'))
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, operation]) => {
        const params = (where: string) => (operation.parameters ?? []).filter((one) => one.in === where);
        const record = (where: string): string =>
          objectOf(
            Object.fromEntries(params(where).map(({ name, schema }) => [name, schema])),
            params(where).flatMap(({ name, required }) => (required === true ? [name] : [])),
          );
        const body = operation.requestBody?.content['application/json']?.schema;
        const success = operation.responses['200'] ?? operation.responses['201'];
        const answer = success?.content?.['application/json']?.schema;
        return `  '${method.toUpperCase()} ${path}': {
    path: ${record('path')};
    query: ${record('query')};
    body: ${body === undefined ? 'undefined' : typeOf(body)};
    answer: ${answer === undefined ? 'unknown' : typeOf(answer)};
  };`;
      }),
    );
  return `${HEAD}export interface Operations {\n${lines.join('\n')}\n}\n`;
}

function typeOf(schema: Schema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((one) => JSON.stringify(one)).join(' | ');
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeOf).join(' | ');
  if (Array.isArray(schema.type)) return schema.type.map((type) => typeOf({ ...schema, type })).join(' | ');
  switch (schema.type) {
    case 'string':
      return 'string';
    case 'integer':
    case 'number':
      return 'number';
    case 'boolean':
      return 'boolean';
    case 'null':
      return 'null';
    case 'array':
      return `(${typeOf(schema.items ?? {})})[]`;
    case 'object':
      return schema.properties === undefined
        ? `Record<string, ${valuesOf(schema)}>`
        : objectOf(schema.properties, schema.required);
    default:
      return 'unknown';
  }
}

function valuesOf({ patternProperties, additionalProperties }: Schema): string {
  const [pattern] = Object.values(patternProperties ?? {});
  if (pattern !== undefined) return typeOf(pattern);
  return typeof additionalProperties === 'object' ? typeOf(additionalProperties) : 'unknown';
}

function objectOf(properties: Record<string, Schema>, required: readonly string[] = []): string {
  const fields = Object.entries(properties).map(
    ([name, schema]) =>
      `${/^\w+$/.test(name) ? name : JSON.stringify(name)}${required.includes(name) ? '' : '?'}: ${typeOf(schema)}`,
  );
  return fields.length === 0 ? '{}' : `{ ${fields.join('; ')} }`;
}

/** Asks a service of its own. */
async function describe(): Promise<string> {
  const dataDir = mkdtempSync(join(tmpdir(), 'postern-api-'));
  const service = await startService({
    config: readConfig({ POSTERN_PORT: '0', POSTERN_DATA_DIR: dataDir }),
    logger: pino({ level: 'silent' }),
  });
  try {
    return operationsOf((await (await fetch(`${service.address}/openapi.json`)).json()) as never);
  } finally {
    await service.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

const { values } = parseArgs({ options: { print: { type: 'boolean', default: false } } });
const text = await describe();
if (values.print) process.stdout.write(text);
else writeFileSync(new URL('../console/src/api/operations.ts', import.meta.url), text);

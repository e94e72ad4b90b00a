/**
 * Prints docs/reference.md from the OpenAPI document of a running service, which it starts for that. A test holds the file
 * to it: `npm exec -- node scripts/reference-doc.ts > docs/reference.md`
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { startService } from '../src/app.ts';
import { readConfig } from '../src/config.ts';

interface Schema {
  type?: string | string[];
  format?: string;
  enum?: unknown[];
  const?: unknown;
  items?: Schema;
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  description?: string;
  default?: unknown;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
}

interface Operation {
  operationId: string;
  summary: string;
  tags?: string[];
  security: object[];
  description?: string;
  parameters?: { name: string; in: string; required?: boolean; description?: string; schema: Schema }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>;
}

export interface OpenApi {
  paths: Record<string, Record<string, Operation>>;
}

const HEAD = `# API reference

<!-- Written by scripts/reference-doc.ts from the service's own OpenAPI document; edit the schemas. -->

Every operation, as the service itself describes it at \`/openapi.json\` (and, to try it, at \`/docs\`). Read
[the conventions](api.md) first: lists, errors, ETags, safe retries. The name of an operation is its \`operationId\`, for
clients that are generated. Every operation may also answer an [error](errors.md).
`;

/** So many properties of an inner object are told; with more, it has a page of its own. */
const INNER_MAX = 12;

/** Told once, among the conventions. */
const EVERYWHERE = ['Idempotency-Key', 'If-Match', 'If-None-Match'];

export function referenceDoc({ paths }: OpenApi): string {
  const tags = new Map<string, string[]>();
  for (const [path, operations] of Object.entries(paths)) {
    // Another spelling of the same.
    if (path.startsWith('/v1/api_keys')) continue;
    for (const [method, operation] of Object.entries(operations)) {
      const tag = operation.tags?.[0] ?? 'Other';
      tags.set(tag, [...(tags.get(tag) ?? []), sectionOf(method.toUpperCase(), path, operation)]);
    }
  }
  return `${HEAD}${[...tags].map(([tag, sections]) => `\n## ${tag}\n${sections.join('')}`).join('')}`;
}

function sectionOf(method: string, path: string, operation: Operation): string {
  const permission = /`([^`]+)`/.exec(operation.description ?? '')?.[1];
  const needs = permission === undefined ? 'No key is needed.' : `Needs \`${permission}\`.`;
  const parameters = (operation.parameters ?? [])
    .filter(({ name }) => !EVERYWHERE.includes(name))
    .map(
      ({ name, in: place, required, schema, description }): Row => [
        `\`${name}\``,
        `${place}, ${typeOf(schema)}`,
        required === true,
        description ?? schema.description,
      ],
    );
  const body = Object.values(operation.requestBody?.content ?? {})[0]?.schema;
  const tables = [
    tableOf('parameter', parameters),
    tableOf('field of the body', body === undefined ? [] : rowsOf(body, '')),
  ];
  return `\n### ${method} ${path}\n\n${operation.summary} (\`${operation.operationId}\`). ${needs}\n${tables.join('')}${answersOf(operation)}`;
}

type Row = [name: string, type: string, required: boolean, description: string | undefined];

const tableOf = (head: string, rows: readonly Row[]): string =>
  rows.length === 0
    ? ''
    : `\n| ${head} | type | required | |\n|---|---|---|---|\n${rows.map(([name, type, required, text]) => `| ${name} | ${cell(type)} | ${required ? 'yes' : ''} | ${cell(text ?? '')} |\n`).join('')}`;

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

function rowsOf({ properties = {}, required = [] }: Schema, prefix: string): Row[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const row: Row = [`\`${prefix}${name}\``, typeOf(schema), required.includes(name), schema.description];
    return [row, ...innerOf(schema, `${prefix}${name}`)];
  });
}

function innerOf(schema: Schema, name: string): Row[] {
  if (schema.type === 'array' && schema.items !== undefined) return innerOf(schema.items, `${name}[]`);
  const object = schema.anyOf?.find(({ properties }) => properties !== undefined) ?? schema;
  const count = Object.keys(object.properties ?? {}).length;
  return count === 0 || count > INNER_MAX ? [] : rowsOf(object, `${name}.`);
}

function typeOf(schema: Schema): string {
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  if (schema.enum !== undefined) return schema.enum.map((one) => `\`${String(one)}\``).join(', ');
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeOf).join(' or ');
  if (schema.type === 'array') {
    const count = between(schema.minItems, schema.maxItems);
    return `list of ${count === '' ? '' : `${count} of: `}${typeOf(schema.items ?? {})}`;
  }
  if (schema.type === 'object') return 'object';
  if (schema.type === undefined) return 'anything';
  const length = between(schema.minLength, schema.maxLength);
  const range = length === '' ? between(schema.minimum, schema.maximum) : `${length} characters`;
  return `${String(schema.type)}${schema.format === undefined ? '' : ` (${schema.format})`}${range === '' ? '' : `, ${range}`}`;
}

function between(least: number | undefined, most: number | undefined): string {
  if (most === undefined) return least === undefined ? '' : `from ${least}`;
  return least === undefined || least === 0
    ? `up to ${most.toLocaleString('en')}`
    : `${least} to ${most.toLocaleString('en')}`;
}

function answersOf({ responses }: Operation): string {
  return Object.entries(responses)
    .filter(([status]) => status.startsWith('2'))
    .map(([status, { content }]) => {
      const schema = Object.values(content ?? {})[0]?.schema;
      if (schema?.properties === undefined) return `\nAnswers ${status}.\n`;
      const list = schema.properties.data?.items;
      const shown = list === undefined ? [schema] : (list.anyOf ?? [list]);
      const names = shown.map(namesOf).join(', or ');
      return list === undefined
        ? `\nAnswers ${status} with ${names}.\n`
        : `\nAnswers ${status} with a list of ${names}.\n`;
    })
    .join('');
}

const namesOf = ({ properties = {} }: Schema): string =>
  Object.keys(properties)
    .map((name) => `\`${name}\``)
    .join(', ');

if (import.meta.main) {
  const dataDir = mkdtempSync(join(tmpdir(), 'postern-reference-'));
  const config = readConfig({ POSTERN_PORT: '0', POSTERN_DATA_DIR: dataDir });
  const service = await startService({ config, logger: pino({ level: 'silent' }) });
  const response = await fetch(`${service.address}/openapi.json`);
  process.stdout.write(referenceDoc((await response.json()) as OpenApi));
  await service.close();
  rmSync(dataDir, { recursive: true });
}

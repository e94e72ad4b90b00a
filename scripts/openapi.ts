/**
 * Writes openapi.json from the document of a service, and from it client/src/generated: the types of every operation,
 * the table of the client's methods, and the vocabularies. Run `npm exec -- node scripts/openapi.ts`; a test compares
 * the files.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { FORM } from '../src/api/http/oauth.ts';
import { startService } from '../src/service/app.ts';
import { readConfig } from '../src/service/config.ts';

interface Operation {
  operationId: string;
  parameters?: { in: string; name: string }[];
  requestBody?: { content: Record<string, unknown> };
  responses: Record<string, { content?: Record<string, unknown> }>;
}
export interface Document {
  components: { schemas: Record<string, { enum?: string[] }> };
  paths: Record<string, Record<string, Operation>>;
}

/** The text of each file that is generated, by its path. */
export function generate(document: Document): Record<string, string> {
  const folder = mkdtempSync(join(tmpdir(), 'postern-schema-'));
  try {
    const file = join(folder, 'openapi.json');
    writeFileSync(file, JSON.stringify(document));
    const types = execFileSync(process.execPath, ['test/openapi/generate.ts', file], {
      encoding: 'utf8',
      maxBuffer: 1 << 26,
    });
    return {
      'openapi.json': `${JSON.stringify(document, null, 2)}\n`,
      'client/src/generated/schema.ts': NOTE + types,
      'client/src/generated/operations.ts': NOTE + toTable(document),
      'client/src/generated/vocabularies.ts': NOTE + toVocabularies(document),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const NOTE = '// Written by scripts/openapi.ts; do not edit.\n';

function toTable({ paths }: Document): string {
  const rows = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const query = (operation.parameters ?? []).filter((one) => one.in === 'query').map(({ name }) => name);
      const fields = [
        `method: '${method.toUpperCase()}'`,
        `path: '${path}'`,
        `answers: '${answerKind(operation, query)}'`,
      ];
      if (operation.requestBody !== undefined) fields.push('takesBody: true');
      if (operation.requestBody?.content[FORM] !== undefined) fields.push('takesForm: true');
      if (query.length > 0) fields.push('takesQuery: true');
      return `  ${operation.operationId}: { ${fields.join(', ')} },\n`;
    }),
  );
  return `export const OPERATIONS = {\n${rows.toSorted().join('')}} as const;\n`;
}

/** Writes a list for each named enum: `ContentType` becomes `CONTENT_TYPES`. */
function toVocabularies({ components }: Document): string {
  const lists = Object.entries(components.schemas).flatMap(([name, { enum: words }]) => {
    const constant = `${name.replaceAll(/(?<=[a-z])[A-Z]/g, '_$&').toUpperCase()}S`;
    return words === undefined
      ? []
      : [`export const ${constant} = [${words.map((word) => `'${word}'`).join(', ')}] as const;\n`];
  });
  return lists.join('');
}

/** Answers that are not what their media type and their query say. */
const ANSWERS: Record<string, string> = {
  streamEvents: 'events',
  authorize: 'verdict',
  getTdmrepJsonSignal: 'text',
  getHeadersSignal: 'text',
  getSignalsReport: 'json',
};

function answerKind({ operationId, responses }: Operation, query: readonly string[]): string {
  const media = Object.keys(responses['200']?.content ?? {});
  const isText = media.length > 0 && !media.includes('application/json');
  return ANSWERS[operationId] ?? (isText ? 'text' : query.includes('cursor') ? 'pages' : 'json');
}

if (process.argv[1] === import.meta.filename) {
  const dataDir = mkdtempSync(join(tmpdir(), 'postern-schema-data-'));
  const config = readConfig({ POSTERN_PORT: '0', POSTERN_DATA_DIR: dataDir });
  const service = await startService({ config, logger: pino({ level: 'silent' }) });
  const document = (await (await fetch(`${service.address}/openapi.json`)).json()) as Document;
  for (const [path, text] of Object.entries(generate(document))) writeFileSync(path, text);
  await service.close();
  rmSync(dataDir, { recursive: true, force: true });
}

/**
 * What the client knows of the API, written from the OpenAPI document of a service of its own: the types of every operation,
 * and the table that its methods are made from. `node scripts/client-schema.ts` writes both into client/src/generated.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { startService } from '../src/app.ts';
import { readConfig } from '../src/config.ts';

interface Operation {
  operationId: string;
  parameters?: { in: string; name: string }[];
  requestBody?: object;
}
export interface Document {
  paths: Record<string, Record<string, Operation>>;
}

/** The text of each file in client/src/generated. */
export function clientSchema(document: Document): Record<string, string> {
  const own = withoutAliases(document);
  const folder = mkdtempSync(join(tmpdir(), 'postern-schema-'));
  try {
    const file = join(folder, 'openapi.json');
    writeFileSync(file, JSON.stringify(own));
    const types = execFileSync(process.execPath, ['test/openapi/generate.ts', file], {
      encoding: 'utf8',
      maxBuffer: 1 << 26,
    });
    return { 'schema.ts': NOTE + types, 'operations.ts': NOTE + tableOf(own) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const NOTE = '// Written by scripts/client-schema.ts from the OpenAPI document; not by hand.\n';

/** Other spellings of a path are the same operations. */
function withoutAliases(document: Document): Document {
  const isAlias = (path: Record<string, Operation>): boolean =>
    Object.values(path).every(({ operationId }) => operationId.endsWith('Alias'));
  return {
    ...document,
    paths: Object.fromEntries(Object.entries(document.paths).filter(([, path]) => !isAlias(path))),
  };
}

function tableOf({ paths }: Document): string {
  const rows = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const query = (operation.parameters ?? []).filter((one) => one.in === 'query').map(({ name }) => name);
      const fields = [
        `method: '${method.toUpperCase()}'`,
        `path: '${path}'`,
        `answers: '${answersOf(operation, query)}'`,
      ];
      if (operation.requestBody !== undefined) fields.push('takesBody: true');
      if (query.length > 0) fields.push('takesQuery: true');
      return `  ${operation.operationId}: { ${fields.join(', ')} },\n`;
    }),
  );
  return `export const OPERATIONS = {\n${rows.sort().join('')}} as const;\n`;
}

/** What is not JSON; the document does not say so. */
const OTHERS: Record<string, string> = { streamEvents: 'events', getMetrics: 'text', authorize: 'verdict' };

const answersOf = ({ operationId }: Operation, query: readonly string[]): string =>
  OTHERS[operationId] ?? (query.includes('cursor') ? 'pages' : 'json');

if (process.argv[1] === import.meta.filename) {
  const dataDir = mkdtempSync(join(tmpdir(), 'postern-schema-data-'));
  const config = readConfig({ POSTERN_PORT: '0', POSTERN_DATA_DIR: dataDir });
  const service = await startService({ config, logger: pino({ level: 'silent' }) });
  const document = (await (await fetch(`${service.address}/openapi.json`)).json()) as Document;
  for (const [name, text] of Object.entries(clientSchema(document)))
    writeFileSync(`client/src/generated/${name}`, text);
  await service.close();
  rmSync(dataDir, { recursive: true, force: true });
}

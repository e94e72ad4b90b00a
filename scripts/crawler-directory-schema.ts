/** Prints docs/crawler-directory.schema.json; a test holds the file to it. */
import { DirectoryFile } from '../src/requesters/crawlers/directory-schema.ts';

/** JSON Schema as others read it: without our error texts. */
export const directorySchemaText = (): string =>
  `${JSON.stringify(
    { $schema: 'https://json-schema.org/draft/2020-12/schema', ...DirectoryFile },
    (key, value: unknown) => (key === 'expected' ? undefined : value),
    2,
  )}\n`;

if (import.meta.main) process.stdout.write(directorySchemaText());

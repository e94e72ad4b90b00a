/**
 * Prints the types of the OpenAPI document in a file: `node test/openapi/generate.ts openapi.json`. The generator wants the
 * compiler's JavaScript API, which TypeScript 7 does not have; it is given the one that @ts-morph/common carries.
 */
import { readFileSync } from 'node:fs';
import { createRequire, registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';

const compiler = createRequire(import.meta.url)
  .resolve('@ts-morph/common')
  .replace(/[^/]+$/, 'typescript.js');
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'typescript' ? { url: pathToFileURL(compiler).href, shortCircuit: true } : next(specifier, context),
});
const { default: typesOf, astToString } = await import('openapi-typescript');
process.stdout.write(astToString(await typesOf(readFileSync(process.argv[2] as string, 'utf8'))));

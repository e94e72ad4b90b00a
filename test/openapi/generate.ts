/**
 * Prints the types of the OpenAPI document in a file: `node test/openapi/generate.ts openapi.json`. The generator needs
 * the JavaScript API of a compiler that TypeScript 7 no longer has, so this folder is a workspace with a compiler of
 * its own.
 */
import { readFileSync } from 'node:fs';
import typesOf, { astToString } from 'openapi-typescript';

process.stdout.write(astToString(await typesOf(readFileSync(process.argv[2] as string, 'utf8'))));

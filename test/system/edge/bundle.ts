/** Bundles of adapters, as the tools of their platforms make them. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { rolldown } from 'rolldown';

/** The entries of the client's package, and their sources. */
const ENTRIES: Readonly<Record<string, string>> = {
  '@postern/client/edge': 'client/src/edge/index.ts',
  '@postern/client/cloudflare': 'client/src/cloudflare.ts',
  '@postern/client/cloudfront': 'client/src/cloudfront.ts',
  '@postern/client/fastly': 'client/src/fastly.ts',
  '@postern/client/netlify': 'client/src/netlify.ts',
};

/** Returns the text of one file that imports nothing of the client. */
export async function bundleOf(
  input: string,
  { minify = false, external = /^(?:node|fastly):/ } = {},
): Promise<string> {
  const alias = Object.fromEntries(Object.entries(ENTRIES).map(([name, file]) => [name, resolve(file)]));
  await using bundle = await rolldown({ input, resolve: { alias }, external, logLevel: 'silent' });
  const { output } = await bundle.generate({ format: 'esm', codeSplitting: false, minify });
  return output[0].code;
}

/** Puts the built client into the packages of a folder. */
export function installClient(folder: string): void {
  execFileSync(process.execPath, ['scripts/build-client.ts']);
  const place = join(folder, 'node_modules/@postern/client');
  mkdirSync(place, { recursive: true });
  cpSync('client/dist', join(place, 'dist'), { recursive: true });
  cpSync('client/package.json', join(place, 'package.json'));
}

/** Bundles of adapters, as the tools of their platforms make them. */
import { resolve } from 'node:path';
import { rolldown } from 'rolldown';

/** The entries of the client's package, and their sources. */
const ENTRIES: Readonly<Record<string, string>> = {
  '@postern/client/edge': 'client/src/edge/index.ts',
  '@postern/client/cloudflare': 'client/src/cloudflare.ts',
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

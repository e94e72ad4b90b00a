/** Files of a crawler directory, and their signatures. */
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Crawler } from '../src/rules/crawlers/crawler.ts';
import { PACKAGED } from '../src/rules/crawlers/directory.ts';

export const dayAfter = (date: string, days: number): string =>
  new Date(Date.parse(date) + days * 86_400_000).toISOString().slice(0, 10);

export const crawlerRow = (name: string, more: Partial<Crawler> = {}): Crawler => ({
  name,
  operator: 'Example',
  purpose: 'training',
  userAgents: [name],
  identities: [],
  url: null,
  source: 'https://example.com/bots',
  ...more,
});

/** The rows of this version, and others. */
export const directoryText = (date: string, rows: readonly Crawler[] = []): string =>
  JSON.stringify({ date, crawlers: [...PACKAGED.crawlers, ...rows] });

export function writeDirectory(file: string, date: string, rows: readonly Crawler[] = []): void {
  writeFileSync(`${file}.new`, directoryText(date, rows));
  renameSync(`${file}.new`, file);
}

/** A file with the directory of this version, in a folder of its own. */
export function newDirectoryFile(): Disposable & { file: string } {
  const folder = mkdtempSync(join(tmpdir(), 'postern-crawlers-'));
  const file = join(folder, 'crawlers.json');
  writeDirectory(file, PACKAGED.date);
  return { file, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
}

export function newSigningKey(): { publicKey: string; sign(text: string): string; privateKey: KeyObject } {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  return {
    privateKey,
    publicKey: publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
    sign: (text) => sign(null, Buffer.from(text), privateKey).toString('base64'),
  };
}

/** Reads a crawler directory from where the settings say, and verifies its signature. */
import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import type { Getter } from '../../lib/outgoing/get.ts';

/** A part of the SETTINGS of the service. */
export const DIRECTORY_SETTINGS = {
  POSTERN_CRAWLER_DIRECTORY: {
    doc: 'File or https URL of a newer crawler directory; unset: the one of this version',
    default: null,
    read: readPlace,
  },
  POSTERN_CRAWLER_DIRECTORY_KEY: {
    doc: 'Ed25519 public key, in PEM or as its base64, that the directory is signed with; a URL needs one',
    default: null,
    read: readPublicKey,
  },
} as const;

export interface DirectorySource {
  /** A file or a URL. */
  place: string;
  isUrl: boolean;
  /** null: a file without a signature. */
  key: KeyObject | null;
}

/** Returns null without the setting. Adds to `faults` what is missing. */
export function toDirectorySource(values: ReadonlyMap<string, unknown>, faults: string[]): DirectorySource | null {
  const place = values.get('POSTERN_CRAWLER_DIRECTORY') as string | null | undefined;
  const key = values.get('POSTERN_CRAWLER_DIRECTORY_KEY') as KeyObject | null | undefined;
  if (place == null) {
    if (place === null && key != null) {
      faults.push('POSTERN_CRAWLER_DIRECTORY_KEY: has no effect without POSTERN_CRAWLER_DIRECTORY');
    }
    return null;
  }
  const isUrl = isUrlText(place);
  if (isUrl && key === null) {
    faults.push('POSTERN_CRAWLER_DIRECTORY_KEY: is missing; a directory from a URL must be signed');
  }
  return { place, isUrl, key: key ?? null };
}

const isUrlText = (text: string): boolean => /^[a-z][a-z0-9+.-]+:\/\//i.test(text);

function readPlace(text: string): string {
  if (text.trim() === '') throw new Error('is empty; name a file or a URL, or unset it');
  if (!isUrlText(text)) return text;
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) {
    throw new Error('must be a file or an https URL, such as https://example.com/crawlers.json');
  }
  return text;
}

function readPublicKey(text: string): KeyObject {
  const base64 = text.replaceAll(/-----[A-Z ]+-----|\s/g, '');
  try {
    const key = createPublicKey({ key: Buffer.from(base64, 'base64'), format: 'der', type: 'spki' });
    if (key.asymmetricKeyType === 'ed25519') return key;
  } catch {
    // It says less than the sentence below.
  }
  throw new Error('must be an Ed25519 public key in PEM, or the line of base64 in it');
}

// ---------------------------------------------------------------------------------------------------------------------

export const DIRECTORY_BYTES_MAX = 4 * 1024 * 1024;
const SIGNATURE_BYTES_MAX = 1024;
const TIMEOUT_MS = 20_000;

/** A text, or why there is none. */
export type Taken = { text: string; fault?: undefined } | { fault: string };

/** Returns the signed text of the source. Never throws. */
export async function takeDirectory({ place, isUrl, key }: DirectorySource, getter: Getter): Promise<Taken> {
  const read = isUrl
    ? (at: string, maxBytes: number) => readUrl(getter, at, maxBytes)
    : (at: string, maxBytes: number) => readFileAt(at, maxBytes);
  const directory = await read(place, DIRECTORY_BYTES_MAX);
  if (typeof directory === 'string') return { fault: directory };
  if (key !== null) {
    const signature = await read(isUrl ? toSignatureUrl(place) : `${place}.sig`, SIGNATURE_BYTES_MAX);
    if (typeof signature === 'string') return { fault: `Its signature: ${signature}` };
    if (!isSignedBy(key, directory, signature)) return { fault: 'Its signature is not of the key in the settings.' };
  }
  return { text: directory.toString('utf8') };
}

export const toSignatureUrl = (place: string): string => {
  const url = new URL(place);
  url.pathname += '.sig';
  return url.href;
};

/** `signature`: 64 bytes in base64. */
function isSignedBy(key: KeyObject, bytes: Buffer, signature: Buffer): boolean {
  const text = signature.toString('latin1').replaceAll(/\s/g, '');
  return /^[A-Za-z0-9+/]{86}==$/.test(text) && verify(null, bytes, key, Buffer.from(text, 'base64'));
}

async function readUrl(getter: Getter, url: string, maxBytes: number): Promise<Buffer | string> {
  const fetched = await getter.get(url, { accept: 'application/json, */*', maxBytes, timeoutMs: TIMEOUT_MS });
  return fetched.error ?? fetched.body;
}

async function readFileAt(file: string, maxBytes: number): Promise<Buffer | string> {
  try {
    const { size } = await stat(file);
    return size > maxBytes ? `The file is larger than ${maxBytes / 1024} KiB.` : await readFile(file);
  } catch (error) {
    return `The file ${file} cannot be read (${(error as NodeJS.ErrnoException).code}).`;
  }
}

/** Returns a text that changes whenever the file or its signature does. */
export async function fileMark({ place, key }: DirectorySource): Promise<string> {
  const marks = [place, ...(key === null ? [] : [`${place}.sig`])].map((file) =>
    stat(file).then(
      ({ mtimeMs, size, ino }) => `${mtimeMs} ${size} ${ino}`,
      () => 'none',
    ),
  );
  return (await Promise.all(marks)).join();
}

/** The URL by which a signing agent is known. Pure. */

const DIRECTORY_PATH = '/.well-known/http-message-signatures-directory';
/** The same bound as for the identities of requesters. */
const LENGTH_MAX = 2048;

/**
 * Returns the normal form of an agent's URL: an origin without a slash (`https://bot.example`), which has its keys at
 * the well-known path, or the URL of the document with the keys. A query and a fragment identify nothing and are
 * dropped. Returns undefined for URLs that cannot be an agent's.
 */
export function normalizeAgent(text: string): string | undefined {
  if (text.length > LENGTH_MAX || !/^https?:\/\//i.test(text) || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') return undefined;
  const path = normalPath(url.pathname);
  return path === '/' || path === DIRECTORY_PATH ? url.origin : url.origin + path;
}

const isOrigin = (url: string): boolean => new URL(url).pathname === '/';

/** Returns the address of the document with the keys of an agent in normal form. */
export const keyDocumentUrl = (agent: string): string => (isOrigin(agent) ? agent + DIRECTORY_PATH : agent);

/** Discovery types of the draft, and whether their value is an origin. */
const TYPES: Readonly<Record<string, boolean>> = { directory: true, jwks_uri: false, cimd: false };

/**
 * Reads a member of `Signature-Agent`. Without a type, an origin stands for its directory and any other URL for the
 * document itself. Members of unknown types are ignored, as the draft requires.
 */
export function readMember(text: string, type?: string): string | undefined {
  const agent = normalizeAgent(text);
  if (agent === undefined || type === undefined) return agent;
  return TYPES[type] === isOrigin(text) ? agent : undefined;
}

const UNRESERVED = /[\w.~-]/;

/** Normalizes percent-encoding (RFC 3986, 6.2.2): unreserved characters are decoded, hexadecimal digits uppercase. */
const normalPath = (path: string): string =>
  path.replace(/%[0-9a-f]{2}/gi, (encoded) => {
    const decoded = String.fromCharCode(Number.parseInt(encoded.slice(1), 16));
    return UNRESERVED.test(decoded) ? decoded : encoded.toUpperCase();
  });

/** Finds the published license that a client accepts for a resource. Throws what OAuth answers. */
import { OAuthError } from '../../api/oauth-error.ts';
import { type Locator, parseVisited } from '../../lib/urls/locator.ts';
import { toAudience } from '../../requesters/license-tokens/audience.ts';
import type { PublishedLicense } from '../formats/rsl.ts';
import { contentsFor } from '../formats/rsl-reader.ts';
import { byLiterals } from '../robots/ranking.ts';
import { inOneSpelling, toPattern } from '../robots/robots-reader.ts';
import type { Published } from '../signals.ts';
import { LICENSE_MAX, readLicense } from './accepted.ts';

interface Readable extends PublishedLicense {
  pattern: ReturnType<typeof toPattern>;
  narrow: number;
  /** The text that equal licenses share. */
  meaning: string | undefined;
}

const readable = new WeakMap<Published, readonly Readable[]>();

/** Licenses are few where patterns are many. */
function toReadable(published: Published): readonly Readable[] {
  const meanings = new Map<string, string | undefined>();
  return published.licenses.map((one) => {
    const known = meanings.get(one.license) ?? readLicense(one.license);
    meanings.set(one.license, known);
    const text = inOneSpelling(one.text);
    return { ...one, pattern: toPattern(text), narrow: byLiterals(text), meaning: known };
  });
}

/** Returns the place of a resource, a URL or the pattern of a `content`, and the audience of its token. */
export function readResource(resource: string): { place: Locator; audience: string } {
  const place = parseVisited(resource.replace(/[*$].*$/s, ''));
  const audience = toAudience(resource);
  if (place !== undefined && audience !== undefined) return { place, audience };
  throw new OAuthError(
    400,
    'invalid_target',
    'The resource must be a URL, or the `url` of a `content` in license.xml.',
  );
}

/** Throws OAuthError: invalid_request, invalid_target, invalid_scope. */
export function findOffered(published: Published, { resource, license }: { resource: string; license: string }) {
  const all = readable.get(published) ?? toReadable(published);
  readable.set(published, all);
  const named = all.filter(({ url }) => url === resource);
  const holding = named.length > 0 ? named : contentsFor(all, toPath(resource));
  if (holding.length === 0) throw new OAuthError(400, 'invalid_target', 'license.xml says nothing about the resource.');
  const accepted = readLicense(license);
  if (accepted === undefined) throw new OAuthError(400, 'invalid_request', NO_LICENSE);
  const found = holding.find(({ meaning }) => meaning === accepted);
  if (found === undefined) throw new OAuthError(400, 'invalid_scope', OTHER);
  if (found.permits === '') throw new OAuthError(400, 'invalid_scope', 'The license permits nothing.');
  return found;
}

const NO_LICENSE = `Send as license the element <license> of license.xml, of at most ${LICENSE_MAX} characters.`;
const OTHER = 'This is not the license that license.xml publishes for the resource now. Read the file again.';

const toPath = (resource: string): string => {
  const { pathname, search } = new URL(resource);
  return pathname + search;
};

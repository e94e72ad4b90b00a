/** A client of the license server, written from RSL 1.0 alone. */
import type { Answer } from '../../kit/answer.ts';
import type { TestService } from '../../kit/service.ts';

export interface TokenAsked {
  /** A token of the requester. */
  secret: string;
  resource: string;
  /** By default that of the `content` with this `url` in license.xml. */
  license?: string;
  form?: Record<string, string>;
}

export const basic = (id: string, secret: string): string =>
  `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')}`;

/** Sends a form. */
export const sendForm = (
  postern: TestService,
  path: string,
  fields: Record<string, string>,
  authorization?: string,
): Promise<Answer> =>
  postern.call('POST', path, {
    key: null,
    raw: new URLSearchParams(fields).toString(),
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      ...(authorization === undefined ? {} : { authorization }),
    },
  });

/** Reads the element `license` that holds for a pattern, as the one public client does: by regular expressions. */
export async function publishedLicense(postern: TestService, resource: string): Promise<string> {
  const { host } = new URL(resource);
  const file = await postern.call('GET', `/v1/sites/${host}/signals/license.xml`);
  for (const [content, url] of file.text.matchAll(/<content[^>]*\burl="([^"]*)"[^>]*>[^]*?<\/content>/g)) {
    if (url === resource) return /<license>[^]*?<\/license>/.exec(content)?.[0] ?? '';
  }
  throw new Error(`license.xml has no ${resource}: ${file.text}`);
}

export async function getToken(
  postern: TestService,
  id: string,
  { secret, resource, license, form = {} }: TokenAsked,
): Promise<Answer> {
  const accepted = license ?? (await publishedLicense(postern, resource));
  const fields = { grant_type: 'client_credentials', resource, license: accepted, ...form };
  return sendForm(postern, '/olp/token', fields, basic(id, secret));
}

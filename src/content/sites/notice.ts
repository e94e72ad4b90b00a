/** The licensing page of a site, as answers to its visitors name it. Pure. */
import type { Site } from './site.ts';

/** The URL of license.xml on the site; null: switched off. */
export const toLicenseUrl = ({ host, site }: { host: string; site: Site }): string | null =>
  site.signals.license ? `https://${host}/license.xml` : null;

export interface Notice {
  /** The value of `Link` for every answer; null: the site has none, or switched it off. */
  link: string | null;
  /** The same for denials with a body. */
  denialLink: string | null;
  licensingUrl: string | null;
  /** The site has a license server, which visitors get tokens from. */
  isServed: boolean;
}

export const NO_NOTICE: Notice = { link: null, denialLink: null, licensingUrl: null, isServed: false };

/** Clients and proxies have bounds for all headers together. */
const LINK_LENGTH_MAX = 1_500;

const known = new WeakMap<Site, Notice>();

export function toNotice(site: Site | undefined): Notice {
  if (site === undefined) return NO_NOTICE;
  const notice = known.get(site) ?? buildNotice(site);
  known.set(site, notice);
  return notice;
}

function buildNotice(site: Site): Notice {
  const licensingUrl = site.licensingUrl === null ? null : new URL(site.licensingUrl).href;
  const licenseUrl = toLicenseUrl({ host: site.host, site });
  // A client that needs a token begins with the file that names its server.
  const isServed = site.signals.licenseServer && licenseUrl !== null;
  const target = isServed ? licenseUrl : (licensingUrl ?? licenseUrl);
  const type = isServed ? '; type="application/rsl+xml"' : '';
  const text = target === null ? '' : `<${target}>; rel="license"${type}`;
  const link = text === '' || text.length > LINK_LENGTH_MAX ? null : text;
  return { link: site.signals.link || isServed ? link : null, denialLink: link, licensingUrl, isServed };
}

/** Sites on the wire. */
import { type Static, Type } from 'typebox';
import { PageQuerySchema, pageOf } from '../http/list.ts';
import { toIso } from '../lib/clock.ts';
import { partial, pick } from '../lib/fields.ts';
import { FIELDS, SIGNAL_FIELDS, type Site } from './site.ts';

const { signals: _, ...others } = FIELDS;

export const PutSite = Type.Object(
  partial({ signals: Type.Object(partial(SIGNAL_FIELDS), { additionalProperties: false }), ...others }),
  { additionalProperties: false, title: 'PutSite', description: 'Fields that are absent get their first values' },
);
export type PutSite = Static<typeof PutSite>;

export const ListSitesQuery = PageQuerySchema;

export const SiteAnswer = Type.Object(
  {
    id: Type.String({ description: 'The host' }),
    object: Type.Literal('site'),
    host: Type.String(),
    ...FIELDS,
    version: Type.Integer(),
    created: Type.String(),
    updated: Type.String(),
  },
  { title: 'Site', description: 'A host whose policies are published as signals' },
);
export const SitePage = pageOf(SiteAnswer);
export const SiteDeleted = Type.Object({
  id: Type.String({ description: 'The host' }),
  host: Type.String(),
  object: Type.Literal('site'),
  deleted: Type.Literal(true),
});

export const siteAnswer = (site: Site) => ({
  id: site.host,
  object: 'site' as const,
  host: site.host,
  ...pick(site, FIELDS),
  version: site.version,
  created: toIso(site.createdAt),
  updated: toIso(site.updatedAt),
});

/** The ETag of a site is its version. */
export const siteEtag = ({ version }: Pick<Site, 'version'>): string => `"${version}"`;

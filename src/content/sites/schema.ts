/** Sites on the wire. */
import { type Static, Type } from 'typebox';
import { listSchema, PageQuerySchema } from '../../api/http/list.ts';
import { toIso } from '../../lib/clock.ts';
import { partial, pick } from '../../lib/fields.ts';
import { FIELDS, SIGNAL_FIELDS, type Site, URL_RULE_FIELDS } from './site.ts';

const { signals: _, urls: __, ...others } = FIELDS;
const strict = { additionalProperties: false };

export const PutSite = Type.Object(
  partial({
    signals: Type.Object(partial(SIGNAL_FIELDS), strict),
    ...others,
    urls: Type.Object(partial(URL_RULE_FIELDS), strict),
  }),
  { additionalProperties: false, title: 'PutSite', description: 'Fields that are absent get their first values' },
);
export type PutSite = Static<typeof PutSite>;

export const PutSiteQuery = Type.Object(
  { dryRun: Type.Optional(Type.Boolean({ description: 'Answer as if it were stored, and store nothing' })) },
  { additionalProperties: false },
);

export const ListSitesQuery = PageQuerySchema;

const Warning = Type.Object(
  {
    code: Type.Literal('ambiguous_content'),
    message: Type.String(),
    param: Type.Literal('urls'),
    contentIds: Type.Array(Type.String(), { description: 'The items of one file' }),
  },
  { title: 'SiteWarning', description: 'Items that become one file' },
);
export type SiteWarning = Static<typeof Warning>;

export const SiteAnswer = Type.Object(
  {
    id: Type.String({ description: 'The host' }),
    object: Type.Literal('site'),
    host: Type.String(),
    ...FIELDS,
    version: Type.Integer(),
    created: Type.String(),
    updated: Type.String(),
    warnings: Type.Optional(
      Type.Array(Warning, { description: 'Items that become one file by this edit: checks of their URL are refused' }),
    ),
  },
  { title: 'Site', description: 'A host whose policies are published as signals' },
);
export const SitePage = listSchema(SiteAnswer);
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

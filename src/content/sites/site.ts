/** A site: a host whose policies are published, and how. */
import { type Static, Type } from 'typebox';
import { firstValues, optional, schemas } from '../../lib/fields.ts';
import { orNull } from '../../lib/nullable.ts';
import { USUAL_URLS } from '../../lib/urls/spellings.ts';

/** `augment`: groups of Postern follow the site's own file. */
export const ROBOTS_MODES = ['off', 'augment', 'replace'] as const;

/** The uses of content that the formats distinguish. */
export const SITE_USES = ['training', 'input', 'index', 'search'] as const;
export type SiteUse = (typeof SITE_USES)[number];

const strict = { additionalProperties: false } as const;
const flag = (first: boolean, description: string) => optional(Type.Boolean({ description }), first);

const SIGNALS = {
  public: flag(false, 'Everybody may read the signals, without a key'),
  robots: optional(
    Type.Enum([...ROBOTS_MODES], { description: '`augment`: groups of Postern follow `robotsBase`' }),
    'augment' as const,
  ),
  robotsBase: optional(orNull(Type.String({ maxLength: 512_000 }), 'The site’s own robots.txt'), null),
  license: flag(false, 'Publish license.xml (RSL), and name it in robots.txt'),
  licenseServer: flag(false, 'Name the license server in license.xml: then crawlers need its License tokens'),
  tdmrep: flag(false, 'Publish tdmrep.json and its policies (TDMRep)'),
  contentSignal: flag(true, 'Write `Content-Signal` into robots.txt'),
  contentUsage: flag(false, 'Publish `Content-Usage` (AIPREF, a draft)'),
  link: flag(false, 'Answer `/v1/authorize` with a `Link` to the license'),
};
const Signals = Type.Object(schemas(SIGNALS), { ...strict, title: 'SiteSignals' });
export const FIRST_SIGNALS: Static<typeof Signals> = firstValues(SIGNALS);
export const SIGNAL_FIELDS = schemas(SIGNALS);

const purpose = Type.String({ minLength: 1, maxLength: 64 });
const purposes = Type.Array(purpose, { minItems: 1, maxItems: 20 });
const url = orNull(Type.String({ format: 'http-url', maxLength: 2048 }));

const indexName = Type.String({
  minLength: 1,
  maxLength: 64,
  pattern: '^(?=.*[^.])[A-Za-z0-9._~-]+$',
  expected: 'must be the name of a file, such as index.html',
});

/** Each field may be left out: it has its first value then. */
const URL_FIELDS = {
  case: optional(
    Type.Enum(['sensitive', 'ignored'], { description: '`ignored`: `/A` and `/a` are one file' }),
    USUAL_URLS.case,
  ),
  finalSlash: optional(
    Type.Enum(['significant', 'ignored'], { description: '`ignored`: `/a` and `/a/` are one file' }),
    USUAL_URLS.finalSlash,
  ),
  index: optional(
    Type.Array(indexName, {
      maxItems: 10,
      description: 'Names of the file that a folder serves: `/a/` and `/a/index.html` are one file',
    }),
    [...USUAL_URLS.index],
  ),
};
const Urls = Type.Object(schemas(URL_FIELDS), {
  ...strict,
  title: 'SiteUrls',
  description: 'Which spellings of a URL lead to the same file',
});
export const URL_RULE_FIELDS = schemas(URL_FIELDS);

/** A new field goes here and into the columns of `store`. */
const OPTIONAL = {
  contact: optional(
    orNull(
      Type.String({
        minLength: 3,
        maxLength: 320,
        pattern: '^(?:[^\\s@:]+@[^\\s@]+|(?:https?://|mailto:)[^\\s]+)$',
        format: 'plain-text',
        expected: 'must be an email address or a URL, such as licensing@example.com',
      }),
      'The address for licenses: an email address or a URL',
    ),
    null,
  ),
  licensingUrl: optional({ ...url, description: 'The page about licenses' } as typeof url, null),
  purposes: optional(
    Type.Object(
      {
        training: Type.Optional(purposes),
        input: Type.Optional(purposes),
        index: Type.Optional(purposes),
        search: Type.Optional(purposes),
      },
      { ...strict, description: 'The purposes of checks that belong to each use; absent: those of the documentation' },
    ),
    {},
  ),
  sitemaps: optional(
    Type.Array(Type.String({ format: 'http-url', maxLength: 2048 }), {
      maxItems: 100,
      uniqueItems: true,
      description: 'URLs of the site’s sitemaps: no visitor is refused them',
    }),
    [],
  ),
  urls: optional(Urls, USUAL_URLS as Static<typeof Urls>),
};
export const FIRST_VALUES = firstValues(OPTIONAL);

/** The fields that publishers write, in the order of answers. */
export const FIELDS = { signals: Signals, ...schemas(OPTIONAL) };
const Fields = Type.Object(FIELDS);

export interface Site extends Static<typeof Fields> {
  /** The site's number in the store, never on the wire; 0 until it is stored. */
  no: number;
  /** In one spelling, with its port unless that is 80 or 443. */
  host: string;
  /** Counts edits, from 1; goes on when the site is deleted and made again. */
  version: number;
  createdAt: number;
  updatedAt: number;
}

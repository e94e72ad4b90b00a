/** Crawlers on the wire. */
import { type Static, Type } from 'typebox';
import { listSchema, pageProperties } from '../../api/http/list.ts';
import { toIso } from '../../lib/clock.ts';
import { orNull, textOrNull } from '../../lib/nullable.ts';
import { CRAWLER_PURPOSES, type Crawler } from '../../rules/crawlers/crawler.ts';
import { identities } from '../../rules/crawlers/identity.ts';
import { directoryText, directoryUrl } from './directory-schema.ts';
import type { CrawlerDirectoryState } from './directory-store.ts';

export const purpose = Type.Enum([...CRAWLER_PURPOSES], { title: 'CrawlerPurpose' });

export const CrawlerAnswer = Type.Object(
  {
    object: Type.Literal('crawler'),
    name: Type.String(),
    operator: textOrNull(),
    purpose,
    userAgents: Type.Array(Type.String(), { description: 'Whole tokens of its user agents, case-insensitive' }),
    identities,
    url: textOrNull('A page about the crawler'),
    source: textOrNull('The page that the row was taken from; null where only you have it'),
    own: Type.Boolean({
      description: 'You added the first token of `userAgents`, with which you can remove your entry again',
    }),
  },
  { title: 'Crawler', description: 'A bot of the crawler directory' },
);
export type CrawlerAnswer = Static<typeof CrawlerAnswer>;

export const crawlerAnswer = ({ own, ...crawler }: Crawler): CrawlerAnswer => ({
  object: 'crawler',
  ...crawler,
  own: own === true,
});

export const CreateCrawler = Type.Object(
  {
    token: Type.String({
      pattern: String.raw`^[\w!$%&'+.^\x60|~-]{1,64}$`,
      expected: 'must have 1–64 characters of a token, without `#` and `*`, which robots.txt reads otherwise',
      description: 'A whole token of its user agents, case-insensitive',
    }),
    name: Type.Optional(directoryText(1, 'Unique, case-insensitive; absent: the token')),
    operator: Type.Optional(orNull(directoryText(1, 'Who operates it'))),
    purpose,
    identities: Type.Optional(identities),
    url: Type.Optional(orNull(directoryUrl('A page about it'))),
  },
  {
    additionalProperties: false,
    title: 'CreateCrawler',
  },
);
export type CreateCrawler = Static<typeof CreateCrawler>;

export const CrawlerDeleted = Type.Object(
  { object: Type.Literal('crawler'), token: Type.String(), deleted: Type.Literal(true) },
  { title: 'CrawlerDeleted' },
);

const day = Type.String({ description: 'The day on which its rows were last looked at' });
const source = Type.Enum(['package', 'file', 'url'], {
  description: 'Where it comes from: `package` is the directory of this version',
});

export const CrawlerPage = Type.Object(
  {
    ...listSchema(CrawlerAnswer).properties,
    directory: Type.Object({ date: day, source }, { description: 'The directory in force' }),
  },
  { title: 'CrawlerList' },
);

export const DirectoryStatus = Type.Object(
  {
    date: day,
    source,
    taken: textOrNull('When the last directory was taken from the file or the URL of the settings'),
    attempted: textOrNull('When they were last looked at'),
    failures: Type.Integer({ minimum: 0, description: 'Failed attempts since the last that succeeded' }),
    failingSince: textOrNull('When the first of these was'),
    error: textOrNull('Why the last attempt failed'),
  },
  { description: 'The crawler directory in force' },
);

export const directoryStatus = (state: CrawlerDirectoryState): Static<typeof DirectoryStatus> => ({
  date: state.date,
  source: state.source,
  taken: toIsoOrNull(state.takenAt),
  attempted: toIsoOrNull(state.attemptedAt),
  failures: state.failures,
  failingSince: toIsoOrNull(state.failingSince),
  error: state.error,
});

const toIsoOrNull = (at: number | null): string | null => (at === null ? null : toIso(at));

export const ListCrawlersQuery = Type.Object(
  {
    ...pageProperties,
    purpose: Type.Optional(purpose),
    own: Type.Optional(Type.Boolean({ description: 'Only entries of your own, or only rows of the directory' })),
    q: Type.Optional(
      Type.String({ minLength: 1, maxLength: 200, description: 'A part of the name, the operator or a user agent' }),
    ),
  },
  { additionalProperties: false },
);
export type ListCrawlersQuery = Static<typeof ListCrawlersQuery>;

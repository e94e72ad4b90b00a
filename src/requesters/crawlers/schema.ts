/** Crawlers on the wire. */
import { type Static, Type } from 'typebox';
import { listSchema, pageProperties } from '../../api/http/list.ts';
import { CRAWLER_PURPOSES } from '../../rules/crawlers/crawler.ts';
import { identities } from '../../rules/crawlers/identity.ts';

export const purpose = Type.Enum([...CRAWLER_PURPOSES], { title: 'CrawlerPurpose' });

export const CrawlerAnswer = Type.Object(
  {
    object: Type.Literal('crawler'),
    name: Type.String(),
    operator: Type.Union([Type.String(), Type.Null()]),
    purpose,
    userAgents: Type.Array(Type.String(), { description: 'Whole tokens of its user agents, case-insensitive' }),
    identities,
    url: Type.Union([Type.String(), Type.Null()], { description: 'A page about the crawler' }),
    source: Type.String({ description: 'The page that the row was taken from' }),
  },
  { title: 'Crawler', description: 'A bot of the directory that comes with this version of Postern' },
);
export type CrawlerAnswer = Static<typeof CrawlerAnswer>;

export const CrawlerPage = listSchema(CrawlerAnswer);

export const ListCrawlersQuery = Type.Object(
  {
    ...pageProperties,
    purpose: Type.Optional(purpose),
    q: Type.Optional(
      Type.String({ minLength: 1, maxLength: 200, description: 'A part of the name, the operator or a user agent' }),
    ),
  },
  { additionalProperties: false },
);
export type ListCrawlersQuery = Static<typeof ListCrawlersQuery>;

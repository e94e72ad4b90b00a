/** Crawlers on the wire. */
import { type Static, Type } from 'typebox';
import { pageOf, pageProperties } from '../http/list.ts';
import { CRAWLER_PURPOSES } from './crawler.ts';

const purpose = Type.Enum([...CRAWLER_PURPOSES], { title: 'CrawlerPurpose' });

const identity = Type.Object(
  {
    kind: Type.Enum(['ip', 'dns', 'signature']),
    list: Type.Optional(Type.String({ description: 'kind `ip`: address of the published list of ranges' })),
    ranges: Type.Optional(Type.Array(Type.String(), { description: 'kind `ip`: the ranges' })),
    suffixes: Type.Optional(Type.Array(Type.String(), { description: 'kind `dns`: ends of the host name' })),
    agent: Type.Optional(Type.String({ description: 'kind `signature`: the signer' })),
  },
  { title: 'CrawlerIdentity', description: 'A way to verify that a visitor is the crawler it names' },
);

export const CrawlerAnswer = Type.Object(
  {
    object: Type.Literal('crawler'),
    name: Type.String(),
    operator: Type.Union([Type.String(), Type.Null()]),
    purpose,
    userAgents: Type.Array(Type.String(), { description: 'Whole tokens of its user agents, case-insensitive' }),
    identities: Type.Array(identity),
    url: Type.Union([Type.String(), Type.Null()], { description: 'A page about the crawler' }),
    source: Type.String({ description: 'The page that the row was taken from' }),
  },
  { title: 'Crawler', description: 'A bot of the directory that comes with this version of Postern' },
);
export type CrawlerAnswer = Static<typeof CrawlerAnswer>;

export const CrawlerPage = pageOf(CrawlerAnswer);

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

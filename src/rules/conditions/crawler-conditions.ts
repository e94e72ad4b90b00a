/** Conditions on who is asking: how the requester was verified, the crawler that its user agent names, its proof. */
import { Type } from 'typebox';
import { CRAWLER_PURPOSES, type Crawler, UNKNOWN_PURPOSE } from '../crawlers/crawler.ts';
import { fromCrawlers } from '../crawlers/directory.ts';
import { isProgram } from '../crawlers/program.ts';
import { type Facts, VERIFIED_KINDS, type VerifiedKind } from '../facts.ts';
import { type Condition, LIST_MAX, oneOrMany } from './condition.ts';
import { list, type Matcher, type Test } from './match.ts';

/** The names that conditions accept, exactly as `GET /v1/crawlers` lists them. */
export const crawlerNames = fromCrawlers((all): ReadonlySet<string> => new Set(all.map(({ name }) => name)));
export const crawlerOperators = fromCrawlers(
  (all): ReadonlySet<string> => new Set(all.flatMap(({ operator }) => operator ?? [])),
);

/**
 * Matches a field of the crawler. Without a user agent the crawler is unknown; a user agent that names no crawler is
 * known to name none. A null field of a crawler is unknown.
 */
const ofCrawler = (read: (crawler: Crawler) => string | null): Matcher => ({
  compile(value: string | string[]): Test {
    const wanted = new Set(list(value));
    return ({ userAgent, crawler }: Facts) => {
      if (crawler === null) return userAgent === null ? undefined : false;
      const actual = read(crawler);
      return actual === null ? undefined : wanted.has(actual);
    };
  },
  actual: ({ crawler }) => crawler && read(crawler),
});

/** Matches the purpose of the crawler; that of a program which the directory does not name is `unknown`. */
const ofPurpose: Matcher = {
  compile(value: string | string[]): Test {
    const { compile } = ofCrawler(({ purpose }) => purpose);
    const isNamed = compile(value as never);
    if (!list(value).includes(UNKNOWN_PURPOSE)) return isNamed;
    return (facts) =>
      facts.crawler === null && facts.userAgent !== null ? isProgram(facts.userAgent) : isNamed(facts);
  },
  actual: ({ crawler, userAgent }) => {
    if (crawler !== null) return crawler.purpose;
    return userAgent !== null && isProgram(userAgent) ? UNKNOWN_PURPOSE : null;
  },
};

/** Returns how the requester was verified. Without one, a proof of the crawler, or a stated one, is none. */
const visitorProof = ({ requesterId, verified }: Facts): VerifiedKind | null =>
  requesterId === null ? null : verified;

export const CRAWLER_CONDITIONS = {
  requesterVerified: {
    about: 'check',
    negatable: false,
    schema: Type.Union([
      Type.Boolean(),
      Type.Array(Type.Enum([...VERIFIED_KINDS]), { minItems: 1, maxItems: LIST_MAX }),
    ]),
    doc: 'The requester was verified (`true`), was not (`false`), or was verified by any of: `token`, `license`, `signature`, `ip`, `dns`. Without a requester, it is `false`.',
    example: ['signature', 'ip'],
    compile(value: boolean | VerifiedKind[]): Test {
      if (typeof value === 'boolean') return (facts) => (visitorProof(facts) !== null) === value;
      return (facts) => {
        const proof = visitorProof(facts);
        return proof !== null && value.includes(proof);
      };
    },
    actual: visitorProof,
  },
  crawlerVerified: {
    about: 'check',
    negatable: false,
    schema: Type.Boolean(),
    doc: 'The crawler that the user agent names was proven (`true`) or was not (`false`): by its published addresses, its host name, or a signature of its own agent. Neither holds where no crawler is named.',
    example: true,
    compile(value: boolean): Test {
      return ({ crawler, crawlerVerified }) => (crawler === null ? undefined : crawlerVerified === value);
    },
    actual: ({ crawler, crawlerVerified }) => crawler && crawlerVerified,
  },
  crawler: {
    about: 'check',
    negatable: true,
    schema: oneOrMany(Type.String({ maxLength: 100, format: 'crawler-name' })),
    doc: 'The crawler of the directory that the user agent names. A user agent that names none is known to name none; without a user agent, the crawler is unknown.',
    example: ['GPTBot', 'ClaudeBot'],
    ...ofCrawler(({ name }) => name),
  },
  crawlerOperator: {
    about: 'check',
    negatable: true,
    schema: oneOrMany(Type.String({ maxLength: 100, format: 'crawler-operator' })),
    doc: 'The operator of that crawler, which is unknown for some crawlers.',
    example: 'OpenAI',
    ...ofCrawler(({ operator }) => operator),
  },
  crawlerPurpose: {
    about: 'check',
    negatable: true,
    schema: oneOrMany(Type.Enum([...CRAWLER_PURPOSES, UNKNOWN_PURPOSE])),
    doc: 'The purpose of that crawler: `training`, `search`, `user_fetch`, `index`, `preview`, `monitoring` or `other`; or `unknown`: the user agent is that of a program which the directory does not name. It is not `unknown` for browsers.',
    example: ['training', 'unknown'],
    ...ofPurpose,
  },
} as const satisfies Record<string, Condition>;

/** The file of a crawler directory: its schema, and what a schema cannot express. */
import { type Static, Type } from 'typebox';
import { findProblems } from '../../api/http/problems.ts';
import { lazyCheck } from '../../api/http/validate.ts';
import { orNull } from '../../lib/nullable.ts';
import { CRAWLER_PURPOSES } from '../../rules/crawlers/crawler.ts';
import type { Directory } from '../../rules/crawlers/directory.ts';
import { findIdentityFault, identities } from '../../rules/crawlers/identity.ts';

const DAY_MS = 86_400_000;
export const directoryUrl = (description: string) => Type.String({ format: 'http-url', maxLength: 2048, description });
export const directoryText = (minLength: number, description: string) =>
  Type.String({ minLength, maxLength: 64, format: 'plain-text', description });

export const DirectoryFile = Type.Object(
  {
    date: Type.String({
      pattern: String.raw`^\d{4}-\d{2}-\d{2}$`,
      expected: 'must be a day such as 2026-11-28',
      description: 'The day on which the rows were last looked at; a later one replaces an earlier',
    }),
    lists: Type.Optional(
      Type.Array(Type.Object({}, { additionalProperties: true }), {
        maxItems: 100,
        description: 'Lists that rows were taken from, with their licenses; for readers',
      }),
    ),
    crawlers: Type.Array(
      Type.Object(
        {
          name: directoryText(2, 'Unique, case-insensitive'),
          operator: orNull(directoryText(1, 'Who operates it')),
          purpose: Type.Enum([...CRAWLER_PURPOSES]),
          userAgents: Type.Array(directoryText(4, 'A whole token of its user agents, case-insensitive'), {
            minItems: 1,
            maxItems: 20,
            description: 'No two crawlers share one',
          }),
          identities,
          url: orNull(directoryUrl('A page about it')),
          source: directoryUrl('The page that the row was taken from'),
        },
        { additionalProperties: false },
      ),
      { minItems: 1, maxItems: 10_000 },
    ),
  },
  { additionalProperties: false, title: 'CrawlerDirectory', description: 'A directory of crawlers, as a file' },
);

const isDirectory = lazyCheck(DirectoryFile);

/** Returns the directory of a file; a sentence says why it is none. `now`: epoch ms. */
export function readDirectory(content: string, now: number): Directory | string {
  let value: unknown;
  try {
    value = JSON.parse(content);
  } catch {
    return 'It is not valid JSON.';
  }
  if (!isDirectory(value)) {
    const [problem] = findProblems(DirectoryFile, value, 'directory');
    return problem?.message ?? 'It has another form than a directory.';
  }
  return findFault(value, now) ?? { date: value.date, crawlers: value.crawlers };
}

/** A day in the future would hold back every directory until then. */
function findFault({ date, crawlers }: Static<typeof DirectoryFile>, now: number): string | undefined {
  const at = Date.parse(date);
  if (Number.isNaN(at) || new Date(at).toISOString().slice(0, 10) !== date) return `\`date\` is no day: ${date}.`;
  if (at > now + DAY_MS) return `\`date\` is in the future: ${date}.`;
  const names = new Set<string>();
  const tokens = new Map<string, string>();
  for (const [place, { name, userAgents, identities: ways }] of crawlers.entries()) {
    const fault = findIdentityFault(ways, () => undefined);
    if (fault !== undefined) return `\`crawlers[${place}]\`: ${fault.message}`;
    if (names.has(name.toLowerCase())) return `Two crawlers have the name ${name}.`;
    names.add(name.toLowerCase());
    for (const token of userAgents) {
      const owner = tokens.get(token.toLowerCase());
      if (owner !== undefined) return `${owner} and ${name} share the user agent ${token}.`;
      tokens.set(token.toLowerCase(), name);
    }
  }
  return undefined;
}

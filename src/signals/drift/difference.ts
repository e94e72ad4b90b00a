/** Statements of a live file that differ from the intended ones, in the words of the API. */

/** `opens`: the live file permits more than the policies; `closes`: less; `other`: neither can be said. */
export const EFFECTS = ['opens', 'closes', 'other'] as const;
export type Effect = (typeof EFFECTS)[number];

export interface Difference {
  /** A pattern, a word of the format or the name of a header; null: the whole file. */
  about: string | null;
  /** The first of the crawlers that read it; `*`: everybody else. Empty: every reader. */
  crawlers: string[];
  crawlerCount: number;
  intended: string | null;
  live: string | null;
  effect: Effect;
  message: string;
}

export const CRAWLERS_SHOWN = 10;

/** `GPTBot`; `GPTBot and ClaudeBot`; `GPTBot, ClaudeBot and 3 others`. */
export function formatCrawlers(crawlers: readonly string[]): string {
  const names = crawlers.map((token) => (token === '*' ? 'Crawlers without a group of their own' : token));
  const [first = 'Every reader', second] = names;
  if (names.length <= 1) return first;
  return names.length === 2 ? `${first} and ${second}` : `${first}, ${second} and ${names.length - 2} more`;
}

export const toDifference = (
  crawlers: readonly string[],
  rest: Omit<Difference, 'crawlers' | 'crawlerCount'>,
): Difference => ({
  ...rest,
  crawlers: crawlers.slice(0, CRAWLERS_SHOWN),
  crawlerCount: crawlers.length,
});

export const NOT_ALL: Difference = {
  about: null,
  crawlers: [],
  crawlerCount: 0,
  intended: null,
  live: null,
  effect: 'other',
  message: 'More rules differ than were compared one by one.',
};

/** The defences of robots.txt: without any of them, the file allows something that is denied. */
export interface Defence {
  promise: string;
  file: string;
  code: string;
  without: string;
}

export const DEFENCES: readonly Defence[] = [
  {
    promise: 'a star of an allowing rule does not reach into the query',
    file: 'longest-match.ts',
    code: 'if (allowed && writer.denies) {',
    without: 'if (allowed && writer.denies && false) {',
  },
  {
    promise: 'a denying rule is longer than the allowing ones below it',
    file: 'longest-match.ts',
    code: ': this.#known.allowed.longestBeside(text) + (this.#known.allowed.size > 0 ? 1 : 0)',
    without: ': 0',
  },
  {
    promise: 'a path that ends is denied with every query',
    file: 'longest-match.ts',
    code: '[`${base}$`, `${base}?`]',
    without: '[`${base}$`]',
  },
  {
    promise: 'all circumstances are tried',
    file: 'ask.ts',
    code: 'for (const one of circumstances) {',
    without: 'for (const one of circumstances.slice(0, 1)) {',
  },
  {
    promise: 'a crawler is asked about with its own purpose',
    file: 'ask.ts',
    code: 'crawl: ask([NOTHING, ...own])',
    without: 'crawl: ask([NOTHING])',
  },
  {
    promise: 'crawlers with other answers have a group',
    file: 'robots.ts',
    code: '...groups\n      .filter(',
    without: '...[]\n      .filter(',
  },
  {
    promise: 'path conditions cut a pattern',
    file: 'assess.ts',
    code: 'paths.length === 0 ?',
    without: 'paths.length >= 0 ?',
  },
  {
    promise: 'an item with another answer has a rule',
    file: 'assess.ts',
    code: '...items, ...pages]',
    without: '...pages]',
  },
];

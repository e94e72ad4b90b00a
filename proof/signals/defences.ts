/** The defences of the files: without any of them, one of them allows something that is denied. */
export interface Defence {
  promise: string;
  /** Below src/signals. */
  file: string;
  code: string;
  without: string;
  /** The test that sees it; by default the one of robots.txt. */
  test?: 'formats';
}

export const DEFENCES: readonly Defence[] = [
  {
    promise: 'a star of an allowing rule does not reach into the query',
    file: 'robots/rule-book.ts',
    code: 'this.#known.denied.size === 0 ? []',
    without: 'this.#known.denied.size >= 0 ? []',
  },
  {
    promise: 'a denying rule is longer than the allowing ones below it',
    file: 'robots/rule-book.ts',
    code: 'if (this.#longestAllowed(text) < text.length) {',
    without: 'if (this.#longestAllowed(text) >= 0) {',
  },
  {
    promise: 'a path that ends is denied with every query',
    file: 'robots/longest-match.ts',
    code: '[`${base}$`, `${base}?`]',
    without: '[`${base}$`]',
  },
  {
    promise: 'a file for crawlers is allowed without a query alone',
    file: 'robots/robots-group.ts',
    code: 'isFile: row.cell.policyId === null,',
    without: 'isFile: false,',
  },
  {
    promise: 'a folder of files for crawlers is allowed without what may be another page',
    file: 'robots/longest-match.ts',
    code: 'ODD_ENDS.map((end) =>',
    without: 'ODD_ENDS.slice(0, 1).map((end) =>',
  },
  {
    promise: 'all circumstances are tried',
    file: 'table/ask.ts',
    code: 'for (const one of circumstances) {',
    without: 'for (const one of circumstances.slice(0, 1)) {',
  },
  {
    promise: 'a crawler is asked about with its own purpose',
    file: 'table/ask.ts',
    code: 'crawl: ask([NOTHING, ...own])',
    without: 'crawl: ask([NOTHING])',
  },
  {
    promise: 'crawlers with other answers have a group',
    file: 'robots/robots-groups.ts',
    code: '...groups.filter(({ tokens }) => tokens.length > 0)',
    without: '...[]',
  },
  {
    promise: 'path conditions cut a pattern',
    file: 'table/assess.ts',
    code: 'paths.length === 0 ?',
    without: 'paths.length >= 0 ?',
  },
  {
    promise: 'an item with another answer has a rule',
    file: 'table/assess.ts',
    code: '...items, ...pages]',
    without: '...pages]',
  },
  {
    promise: 'the item of a path counts for its queries too',
    file: 'table/item-rows.ts',
    code: "const isOther = locator.query === '' && query !== null;",
    without: 'const isOther = false && query !== null;',
  },
  {
    promise: 'an entry counts only where it is surely found before others',
    file: 'robots/ranking.ts',
    code: 'if (!isSurelyFirst(earlier, later, reading)) isOpen',
    without: 'if (isSurelyFirst(earlier, later, reading) && false) isOpen',
    test: 'formats',
  },
  {
    promise: 'an entry that matches more than its pattern says no more than holds there',
    file: 'robots/ranking.ts',
    code: 'if (isWiderFor(earlier, reading)) isOpen',
    without: 'if (isWiderFor(earlier, reading) && false) isOpen',
    test: 'formats',
  },
  {
    promise: 'an entry for a path that ends has every query',
    file: 'robots/ranking.ts',
    code: '[`${one}$`, `${one}?*`]',
    without: '[`${one}$`]',
    test: 'formats',
  },
  {
    promise: 'readers of whole paths and prefixes find nothing stricter elsewhere',
    file: 'robots/ranking.ts',
    code: 'if (!segments || !isSegment(later)) return true;',
    without: 'if (segments || !isSegment(later)) return true;',
    test: 'formats',
  },
  {
    promise: 'a use without names of crawlers holds for each of them',
    file: 'table/values.ts',
    code: 'uses[use].every(({ allowed }) => allowed);',
    without: 'uses[use].some(({ allowed }) => allowed);',
    test: 'formats',
  },
  {
    promise: 'an offer is published only where its license turns the denial',
    file: 'table/sale.ts',
    code: 'if (isFree(licensed, use)) sale',
    without: 'if (isFree(licensed, use) || true) sale',
    test: 'formats',
  },
  {
    promise: 'locations that match more are reserved',
    file: 'formats/tdmrep.ts',
    code: 'if (later.isReserved && spell(earlier.pattern).isWider)',
    without: 'if (later.isReserved && spell(earlier.pattern).isWider && false)',
    test: 'formats',
  },
  {
    promise: 'a reserved query reserves its path',
    file: 'formats/tdmrep.ts',
    code: 'entries.filter(({ isReserved }, i) => isReserved || rows[i]',
    without: 'entries.filter((_, i) => rows[i]',
    test: 'formats',
  },
];

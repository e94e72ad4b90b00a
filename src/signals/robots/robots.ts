/**
 * Renders robots.txt (RFC 9309) with `Content-Signal` and `License`. Pure. Promise: no crawler of the directory reads
 * that it may fetch what the policies deny it. A group replaces that of `*` for its crawlers, so each is complete. A
 * file that would be too long closes more, and is served.
 */

import type { Inexpressible, Table } from '../table/table.ts';
import { USE_WORDS, USES, type Use } from '../table/words.ts';
import { type BaseContradiction, contradictionsOfBase } from './base-contradictions.ts';
import { type Base, readBase } from './robots-base.ts';
import { writeGroup } from './robots-group.ts';
import { besideBase, mergeGroups, type NamedGroup, namedGroups } from './robots-groups.ts';
import { BEGIN, END } from './robots-reader.ts';

interface Rendering {
  text: string;
  cannotExpress: Inexpressible[];
  baseContradicts: BaseContradiction[];
  refusal: null;
}

/** Parsers must read this much and may ignore the rest. */
const BYTES_MAX = 500 * 1024;
const KIND = 'robots.txt';
const ABOUT_MAX = 20;

const SIGNALED: readonly Use[] = USES.filter((use) => USE_WORDS[use].contentSignal !== null);

/** The ways to write the file, each shorter than the one before. */
const SIZES = ['whole', 'merged', 'closed', 'bare'] as const;
type Size = (typeof SIZES)[number];

/** `licenseUrl`: null without a license document. */
export function renderRobots(table: Table, licenseUrl: string | null): Rendering {
  const { signals } = table.site;
  const text = signals.robots === 'augment' ? (signals.robotsBase ?? '') : '';
  const base = readBase(text);
  const aboutNames: Inexpressible[] = [];
  const groups = namedGroups(table, { uses: groupedUses(table.site), base, cannotExpress: aboutNames });
  const common = { table, base, licenseUrl, left: BYTES_MAX - Buffer.byteLength(text) };
  let written: Written | undefined;
  for (const size of SIZES) {
    written = writeGroups(size === 'whole' ? groups : mergeGroups(groups), { ...common, size });
    if (written.isWhole) break;
  }
  const { cannotExpress } = written as Written;
  return {
    text: join(text, base, written as Written),
    cannotExpress: unique([...aboutNames, ...cannotExpress]),
    baseContradicts: contradictionsOfBase(table, base, groups),
    refusal: null,
  };
}

/** Both formats have words for the same uses. */
const groupedUses = ({ signals }: Table['site']): readonly Use[] =>
  signals.contentSignal || signals.contentUsage ? SIGNALED : [];

const unique = (all: readonly Inexpressible[]): Inexpressible[] => [
  ...new Map(all.map((one) => [JSON.stringify(one), one])).values(),
];

/** Crawlers need not read the end of a long file: then our groups, which close all that they are about, go first. */
function join(text: string, base: Base, { lines, isWhole }: Written): string {
  // An empty rule ends a group of the site that has none.
  const marked = [BEGIN, ...(base.isOpen && isWhole ? ['Disallow:'] : []), ...lines, '', END, ''].join('\n');
  if (!isWhole) return `${marked}\n${text}`;
  return text === '' || text.endsWith('\n') ? text + marked : `${text}\n${marked}`;
}

interface Written {
  lines: string[];
  cannotExpress: Inexpressible[];
  /** All groups are within the length. */
  isWhole: boolean;
}

interface Wanted {
  table: Table;
  base: Base;
  licenseUrl: string | null;
  /** Octets. */
  left: number;
  size: Size;
}

function writeGroups(groups: readonly NamedGroup[], { table, base, licenseUrl, left, size }: Wanted): Written {
  const lines: string[] = [];
  const cannotExpress: Inexpressible[] = size === 'whole' ? [] : [{ kind: KIND, about: [], message: LONG[size] }];
  const about: About = { stricter: new Set(), closed: new Set(), open: new Set() };
  const parts = groups.flatMap((one) => besideBase(one, groups, base));
  const uses = table.site.signals.contentSignal ? SIGNALED : [];
  let bytes = countBytes([BEGIN, 'Disallow:', END, '', '']);
  for (const part of parts) {
    const isClosed = size === 'closed' || size === 'bare';
    const written = writeGroup(table, { ...part, uses, licenseUrl, base, isClosed, isAlone: size === 'bare' });
    for (const name of ABOUT) for (const text of written[name]) about[name].add(text);
    cannotExpress.push(...written.cannotExpress);
    lines.push('', ...written.lines);
    bytes += 1 + countBytes(written.lines);
    if (bytes > left && size !== 'bare') return { lines, cannotExpress, isWhole: false };
  }
  return { lines, cannotExpress: [...cannotExpress, ...aboutPatterns(about)], isWhole: bytes <= left };
}

const countBytes = (lines: readonly string[]): number =>
  lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0);

const LONG: { readonly [S in Exclude<Size, 'whole'>]: string } = {
  merged:
    'The file would be longer than 500 KiB, which crawlers need not read. So the crawlers with answers of their own share one group, which allows what all of them may fetch. Use fewer or shorter path patterns.',
  closed:
    'The file would be longer than 500 KiB, which crawlers need not read. So everything is disallowed to crawlers that may not fetch everything. Use fewer or shorter path patterns.',
  bare: 'The file would be longer than 500 KiB, which crawlers need not read. So everything is disallowed to crawlers that may not fetch everything, in front of the site’s own file. Make that file shorter.',
};

const ABOUT = ['stricter', 'closed', 'open'] as const;
type About = { readonly [N in (typeof ABOUT)[number]]: Set<string> };

const MESSAGES: { readonly [N in (typeof ABOUT)[number]]: string } = {
  stricter:
    'In robots.txt, `*` and `$` also apply to the query of a URL, parameters have an order, and the longest rule wins. Some URLs beside these are disallowed too.',
  closed:
    'What the site’s own file disallows stays so. Rules that would open some of it are left out or overruled, and some paths beside it are disallowed too.',
  open: 'These lines of the site’s own file allow more than the policies, and no rule is long enough to win over them. Remove them.',
};

const aboutPatterns = (about: About): Inexpressible[] =>
  ABOUT.filter((name) => about[name].size > 0).map((name) => ({
    kind: KIND,
    about: [...about[name]].slice(0, ABOUT_MAX),
    message: MESSAGES[name],
  }));

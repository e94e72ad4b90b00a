/**
 * The statements of a site as one value, from which pure functions render all signals. Rows are in order: the first
 * whose pattern matches a URL holds for it. A URL that no row matches is in no collection; signals do not mention it.
 */

import type { Site } from '../../content/sites/site.ts';
import type { PathPattern } from '../../lib/urls/url-pattern.ts';
import type { Offered } from '../../requesters/offers/offer.ts';
import type { Reason } from '../../rules/reason.ts';
import type { Unknown } from './questions.ts';
import type { Use } from './words.ts';

/** A published answer. Of all answers that a visitor may get, it is the most restrictive one. */
export interface TableAnswer {
  readonly allowed: boolean;
  readonly reason: Reason | null;
  /** The index of the rule that decided, in the stored list; null: the default action. */
  readonly rule: number | null;
  /** Why some visitors get a less restrictive answer. */
  readonly varies: readonly Unknown[];
}

/** A reader of the signals. */
export interface Audience {
  /** The token of its group in robots.txt; `*`: every program that the directory does not know. */
  readonly token: string;
  /** Its name in the directory; null for `*`. */
  readonly crawler: string | null;
}

/** The answers of one policy at one place. */
export interface Cell {
  /** null: the path is free for everybody, and no policy is asked. */
  readonly policyId: string | null;
  readonly policyVersion: number;
  /** By the audience's class. */
  readonly crawl: readonly TableAnswer[];
  readonly uses: { readonly [U in Use]: readonly TableAnswer[] };
  /** The class of each audience: the policy treats audiences of one class alike. */
  readonly classOf: Uint16Array;
}

/** Uses that the license of an offer permits everybody. */
export type Sale = { readonly [U in Use]?: Offered };

export interface TableRow {
  readonly pattern: PathPattern;
  readonly cell: Cell;
  /** Offers that turn the denial of a use for everybody; absent: none. */
  readonly offers?: Sale;
  readonly collectionId: string | null;
  /** null: the row is not about one item. */
  readonly contentId: string | null;
  /** The collection only observes: visitors are let through all the same. */
  readonly observed: boolean;
}

/** Something that a format, or any of them, cannot say; what is published instead is more restrictive. */
export interface Inexpressible {
  /** The kind of signal; null: all. */
  readonly kind: string | null;
  /** The patterns, tokens or words that it is about; at most a few. */
  readonly about: readonly string[];
  readonly message: string;
}

export interface Table {
  readonly host: string;
  readonly site: Site;
  /** The license server that the site names; null: none. */
  readonly server: string | null;
  /** The first is `*`. */
  readonly audiences: readonly Audience[];
  readonly rows: readonly TableRow[];
  readonly cannotExpress: readonly Inexpressible[];
  /** The time until which it is right if nothing is edited, epoch ms; Infinity without conditions on time. */
  readonly until: number;
}

export const crawlAnswer = ({ cell }: TableRow, audience: number): TableAnswer =>
  cell.crawl[cell.classOf[audience] as number] as TableAnswer;

export const useAnswer = ({ cell }: TableRow, use: Use, audience: number): TableAnswer =>
  cell.uses[use][cell.classOf[audience] as number] as TableAnswer;

/** Audiences that get the same answers in all rows; the first group has `*`. */
export interface AudienceGroup {
  /** Any of them stands for all. */
  readonly audience: number;
  readonly audiences: readonly number[];
}

/** Groups the audiences by their access and by the given uses. */
export function groupAudiences({ audiences, rows }: Table, uses: readonly Use[]): AudienceGroup[] {
  // First by classes, which policies share among rows; then by what the rows answer.
  const cells = [...new Set(rows.map(({ cell }) => cell))];
  let classes = new Uint32Array(audiences.length);
  for (const classOf of new Set(cells.map((cell) => cell.classOf))) {
    const names = new Map<number, number>();
    classes = classes.map((before, i) => {
      const name = before * 65_536 + (classOf[i] as number);
      const known = names.get(name) ?? names.size;
      names.set(name, known);
      return known;
    });
  }
  const groups = new Map<string, { audience: number; audiences: number[] }>();
  const byClass = new Map<number, { audience: number; audiences: number[] }>();
  for (let i = 0; i < audiences.length; i++) {
    const known = byClass.get(classes[i] as number);
    const group = known ?? newGroup(groups, answersKey(cells, i, uses), i);
    byClass.set(classes[i] as number, group);
    group.audiences.push(i);
  }
  return [...groups.values()];
}

function newGroup(groups: Map<string, { audience: number; audiences: number[] }>, answers: string, audience: number) {
  const group = groups.get(answers) ?? { audience, audiences: [] };
  groups.set(answers, group);
  return group;
}

const answersKey = (cells: readonly Cell[], audience: number, uses: readonly Use[]): string =>
  cells
    .map(({ crawl, uses: byUse, classOf }) => {
      const at = classOf[audience] as number;
      const allowed = [crawl[at], ...uses.map((use) => byUse[use][at])];
      return allowed.map((one) => (one?.allowed === true ? '1' : '0')).join('');
    })
    .join();

/** Spells a pattern as collections do. */
export const spellPattern = ({ path, query }: PathPattern): string => {
  const spell = ({ parts, ends }: PathPattern['path']): string => parts.join('*') + (ends ? '$' : '');
  return query === null ? spell(path) : `${path.parts.join('*')}?${spell(query)}`;
};

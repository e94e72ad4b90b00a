/**
 * Keeps rules of which the longest wins while more important ones are added. Pure. Promise: a denying rule that was
 * added last wins over every allowing one; an allowing rule that was added last wins over our denying ones or is left
 * out, and opens nothing that the site disallows. A rule that must be longer gets a star at its end, or comes with its
 * intersections with the rules that would win over it.
 */
import { canMatchBoth, impliesPath, type PathPattern } from '../../lib/urls/url-pattern.ts';
import { intersect } from '../table/regions.ts';
import { KnownRules } from './known-rules.ts';
import { toPattern } from './robots-reader.ts';

/** Comparisons of rules with a `*`; beyond them, rules are taken to differ. */
const COMPARISONS_MAX = 100_000;
/** Comparisons of all rules. */
const STEPS_MAX = 20_000_000;
/** Stars that make a rule longer, and match more. */
const STARS_MAX = 4;

/** A rule of which the longest wins. */
export interface BookRule {
  allowed: boolean;
  text: string;
}

interface Kept extends BookRule {
  readonly pattern: PathPattern;
  readonly isSite: boolean;
  isGone: boolean;
}

export class RuleBook {
  readonly closed = new Set<string>();
  readonly open = new Set<string>();
  /** The least important first. */
  readonly #ours: Kept[] = [];
  readonly #site: readonly Kept[];
  readonly #known = { allowed: new KnownRules(), denied: new KnownRules() };
  readonly #siteDenied = new KnownRules();
  readonly #siteAllowed = new KnownRules();
  #comparisons = 0;
  #steps = 0;

  constructor(site: readonly BookRule[]) {
    this.#site = site.map((rule) => keep(rule, true));
    for (const { text, allowed } of site) (allowed ? this.#siteAllowed : this.#siteDenied).add(text);
  }

  /** Most important first. */
  rules(): BookRule[] {
    const seen = new Set<string>();
    const rules = this.#ours.toReversed().filter(({ text, allowed, isGone }) => {
      const name = `${allowed} ${text}`;
      if (isGone || seen.has(name)) return false;
      seen.add(name);
      return true;
    });
    return rules.map(({ text, allowed }) => ({ text, allowed }));
  }

  /** Returns whether rules with these texts could change anything. */
  changes(texts: readonly string[], allowed: boolean): boolean {
    const { denied } = this.#known;
    return texts.some((text) =>
      allowed ? denied.longestBeside(text) > 0 : !denied.hasPrefixOf(text) || this.#longestAllowed(text) > 0,
    );
  }

  /** Returns whether our rules may deny a URL that the text matches; for a text without `*`, whether they do. */
  denies(text: string): boolean {
    const { allowed, denied } = this.#known;
    if (denied.longestBeside(text) === 0) return false;
    if (text.includes('*') || allowed.longestBeside(text) === 0) return true;
    const rules = this.#find(keep({ text, allowed: true }, false), this.#ours, () => true);
    if (rules === undefined) return true;
    const longest = Math.max(0, ...rules.map((rule) => rule.text.length));
    return rules.every((rule) => !rule.allowed || rule.text.length < longest);
  }

  /** Returns false if something is denied that should be allowed. */
  add(text: string, allowed: boolean): boolean {
    return allowed ? this.#allow(text) : this.#deny(text);
  }

  /** Allows a text, but no URL by it that the others match. Rules from before that allow those stay. */
  allowBut(text: string, others: readonly string[]): void {
    const before = this.#ours.length;
    this.#allow(text);
    const added = this.#ours.slice(before);
    for (const one of others) this.#deny(one, added);
  }

  #longestAllowed(text: string): number {
    return Math.max(this.#known.allowed.longestBeside(text), this.#siteAllowed.longestBeside(text));
  }

  #push(text: string, allowed: boolean): void {
    this.#ours.push(keep({ text, allowed }, false));
    this.#known[allowed ? 'allowed' : 'denied'].add(text);
  }

  /** `ours`: the rules of ours that it must win over. */
  #deny(text: string, ours: readonly Kept[] = this.#ours): boolean {
    if (this.#longestAllowed(text) < text.length) {
      this.#push(text, false);
      return true;
    }
    const own = keep({ text, allowed: false }, false);
    const all = [...ours, ...this.#site];
    const beside = this.#find(own, all, (rule) => rule.allowed && rule.text.length >= text.length);
    if (beside === undefined) return this.#denyAll(text, ours);
    for (const rule of beside) if (!rule.isSite && impliesPath(rule.pattern, own.pattern)) rule.isGone = true;
    const winning = beside.filter(({ isGone }) => !isGone);
    const longer = withStar(text);
    const isEnough = winning.every((rule) => rule.text.length < longer.length);
    this.#push(winning.length > 0 && isEnough ? longer : text, false);
    if (isEnough) return true;
    return winning.map((rule) => this.#beat(own, rule)).every(Boolean);
  }

  /** Too many rules to compare: none of ours stays that could win. */
  #denyAll(text: string, ours: readonly Kept[]): boolean {
    for (const rule of ours) if (rule.allowed && rule.text.length >= text.length) rule.isGone = true;
    this.#push(text, false);
    return false;
  }

  /** Denies what both match. Returns false if more than that is denied. */
  #beat(own: Kept, rule: Kept): boolean {
    const parts = impliesPath(rule.pattern, own.pattern) ? [rule.pattern] : intersect(own.pattern, rule.pattern);
    const texts = parts?.map((part) => lengthen(toText(part), rule.text.length + 1));
    if (texts === undefined || texts.includes(undefined)) {
      if (rule.isSite) this.open.add(rule.text);
      rule.isGone = !rule.isSite;
      return false;
    }
    for (const text of texts) this.#push(text as string, false);
    return texts.every((text) => impliesPath(toPattern(text as string), own.pattern));
  }

  #allow(text: string): boolean {
    const own = keep({ text, allowed: true }, false);
    const longer = this.#find(own, this.#ours, (rule) => !rule.allowed && rule.text.length > text.length);
    if (longer === undefined) return false;
    const winning = longer.filter((rule) => !isBehindMark(own, rule));
    const covered = winning.filter((rule) => impliesPath(rule.pattern, own.pattern));
    const others = winning.filter((rule) => !covered.includes(rule));
    const texts = others.length === 0 ? [text] : toWin(own, others);
    if (texts === undefined) return false;
    const closing = this.#closing(texts);
    if (closing === undefined) return false;
    if (closing === 'all') return true;
    for (const rule of covered) rule.isGone = true;
    for (const one of texts) this.#push(one, true);
    for (const one of closing) this.#push(one, false);
    const guards = this.#known.denied.size === 0 ? [] : texts.flatMap(toGuards);
    for (const one of guards) this.#push(one, false);
    return guards.length === 0;
  }

  /** Returns denying texts for what the site disallows within ours; `all`: everything; undefined: no texts can. */
  #closing(texts: readonly string[]): string[] | 'all' | undefined {
    const closing: string[] = [];
    for (const text of texts) {
      if (this.#siteDenied.longestBeside(text) === 0) continue;
      const own = keep({ text, allowed: true }, false);
      const denied = this.#find(own, this.#site, (rule) => !rule.allowed && rule.text.length <= text.length);
      for (const rule of denied ?? []) {
        const found = this.#closingOf(own, rule);
        if (found === 'all') return 'all';
        closing.push(...found);
      }
      if (denied !== undefined && !closing.includes('')) continue;
      this.closed.add(text);
      return undefined;
    }
    return closing;
  }

  /** Does so for one rule of the site. An empty text: no text can. */
  #closingOf(own: Kept, rule: Kept): string[] | 'all' {
    const allowing = this.#site.filter(
      ({ allowed, text, pattern }) => allowed && text.length >= rule.text.length && canMatchBoth(own.pattern, pattern),
    );
    if (allowing.some(({ pattern }) => impliesPath(own.pattern, pattern))) return [];
    if (allowing.length === 0 && impliesPath(own.pattern, rule.pattern)) return 'all';
    const parts = intersect(own.pattern, rule.pattern)?.map((part) => lengthen(toText(part), own.text.length + 1));
    for (const part of parts ?? []) {
      const pattern = toPattern(part ?? '/');
      const beside = allowing.find((one) => canMatchBoth(pattern, one.pattern));
      if (beside !== undefined) this.closed.add(beside.text);
      else if (!impliesPath(pattern, rule.pattern)) this.closed.add(rule.text);
    }
    return parts?.map((part) => part ?? '') ?? [''];
  }

  /** Returns the rules that match a URL which ours matches; undefined: too many to compare. */
  #find(own: Kept, rules: readonly Kept[], isWanted: (rule: Kept) => boolean): Kept[] | undefined {
    const found: Kept[] = [];
    for (const rule of rules) {
      if (rule.isGone || !isWanted(rule)) continue;
      if (++this.#steps > STEPS_MAX) return undefined;
      const plain = meetPlainly(own.text, rule.text);
      if (plain === undefined && ++this.#comparisons > COMPARISONS_MAX) return undefined;
      if (plain ?? canMatchBoth(own.pattern, rule.pattern)) found.push(rule);
    }
    return found;
  }
}

const keep = ({ text, allowed }: BookRule, isSite: boolean): Kept => ({
  text,
  allowed,
  isSite,
  pattern: toPattern(text),
  isGone: false,
});

/** Returns whether two rules without `*` match a common URL; undefined for others. */
function meetPlainly(one: string, other: string): boolean | undefined {
  if (one.includes('*') || other.includes('*')) return undefined;
  const [a, b] = [one, other].map((text) => (text.endsWith('$') ? text.slice(0, -1) : text)) as [string, string];
  if (one.endsWith('$')) return other.endsWith('$') ? a === b : a.startsWith(b);
  return other.endsWith('$') ? b.startsWith(a) : a.startsWith(b) || b.startsWith(a);
}

/** Returns texts that win over all rules where they match what ours matches. */
function toWin(own: Kept, rules: readonly Kept[]): string[] | undefined {
  const longer = withStar(own.text);
  if (rules.every(({ text }) => text.length <= longer.length)) return [longer];
  const texts = rules.flatMap((rule) => {
    const parts = intersect(own.pattern, rule.pattern);
    if (parts === undefined) return [undefined];
    return parts.map((part) => {
      const text = toText(part);
      const padded = text.length < rule.text.length ? withStar(text) : text;
      return padded.length < rule.text.length ? undefined : padded;
    });
  });
  return texts.includes(undefined) ? undefined : [own.text, ...(texts as string[])];
}

/**
 * Returns whether our rule matches what another one does only where its `*` reaches into the query. The other one has a
 * query, and a path without `*`.
 */
function isBehindMark(own: Kept, { text }: Kept): boolean {
  const [path = '', query] = text.split('?');
  if (query === undefined || path.includes('*')) return false;
  const mark = own.text.indexOf('?');
  const pattern = mark === -1 ? own.pattern : toPattern(`${own.text.slice(0, mark)}$`);
  return !impliesPath(toPattern(`${path}$`), pattern);
}

const withStar = (text: string): string => (/[*$]$/.test(text) ? text : `${text}*`);

const toText = ({ path }: PathPattern): string => path.parts.join('*') + (path.ends ? '$' : '');

/** Returns a text of the wanted length that matches the same, or as little more as stars can. */
function lengthen(text: string, length: number): string | undefined {
  let longer = text.length < length ? withStar(text) : text;
  for (let stars = 0; longer.length < length; stars++) {
    const at = stars === STARS_MAX ? -1 : findStarPlace(longer);
    if (at === -1) return undefined;
    longer = `${longer.slice(0, at)}*${longer.slice(at)}`;
  }
  return longer;
}

/** Returns the last place that is not beside a star and in no escape. An empty query stays empty. */
function findStarPlace(text: string): number {
  const [end = ''] = /[?]?[$]$/.exec(text) ?? [];
  for (let at = text.length - end.length; at >= 1; at--) {
    const isBeside = text[at - 1] === '*' || text[at] === '*';
    if (!isBeside && !/%[0-9a-f]?$/i.test(text.slice(0, at))) return at;
  }
  return -1;
}

/** Returns patterns that match where what follows a `*` of the path is found behind the question mark. */
function toGuards(text: string): string[] {
  const path = text.split('?')[0] as string;
  const guards: string[] = [];
  for (let at = path.indexOf('*'); at !== -1; at = path.indexOf('*', at + 1)) {
    // A `*` at the end stands for everything that follows anyway.
    if (at < text.length - 1) guards.push(`${text.slice(0, at)}*?${text.slice(at)}`);
  }
  return guards;
}

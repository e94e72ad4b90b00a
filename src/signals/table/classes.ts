/**
 * Sorts the audiences of a site into classes that a policy treats alike. Pure. Policies mostly share their conditions
 * on crawlers: each condition is tried once for all of them.
 */
import type { KnownRequester } from '../../decisions/snapshot/subject.ts';
import { getCondition } from '../../rules/conditions/conditions.ts';
import { Facts } from '../../rules/facts.ts';
import type { Rule } from '../../rules/policy.ts';

/** An audience as the policies see it. */
export interface AskerClass {
  /** User agents that it may send. */
  readonly names: readonly Name[];
  /** The purpose of its requests, as the directory has it. */
  readonly purpose: string | null;
}

/** A user agent, and the requester that has this name; `ambiguous`: several have it. */
export interface Name {
  readonly userAgent: string;
  readonly requester: { readonly id: string; readonly known: KnownRequester } | 'ambiguous' | null;
}

export interface Classes {
  /** The class of each audience. */
  readonly classOf: Uint16Array;
  /** An asker of each class. */
  readonly classes: readonly AskerClass[];
}

const ABOUT_CRAWLERS: ReadonlySet<string> = new Set(['crawler', 'crawlerOperator', 'crawlerPurpose', 'userAgent']);
const ABOUT_REQUESTERS = ['requesterId', 'requesterType', 'requesterTags', 'requesterMetadata'];
const ABOUT_LICENSES = ['hasValidLicense', 'licenseType', 'licenseFeatures', 'licenseExpiry'];
const PROOFS = ['requesterVerified', 'crawlerVerified'];
const CLASSES_MAX = 65_536;

export class Classifier {
  readonly #askers: readonly AskerClass[];
  /** By audience and name. */
  readonly #facts: readonly (readonly Facts[])[];
  /** A number for each audience, by the name of what policies distinguish: equal numbers are treated alike. */
  readonly #numbers = new Map<string, Uint16Array>();
  readonly #classes = new Map<string, Classes>();

  constructor(askers: readonly AskerClass[]) {
    this.#askers = askers;
    this.#facts = askers.map(({ names }) => names.map(({ userAgent }) => new Facts({ ...BLANK, userAgent })));
  }

  /** `keys`: of the conditions, without `Not`. */
  classesOf(rules: readonly { conditions: NonNullable<Rule['conditions']> }[], keys: ReadonlySet<string>): Classes {
    const tellers = new Map<string, () => Uint16Array>();
    for (const { conditions } of rules) {
      for (const [key, value] of Object.entries(conditions)) {
        if (!ABOUT_CRAWLERS.has(key.replace(/Not$/, ''))) continue;
        const name = `${key} ${JSON.stringify(value)}`;
        tellers.set(name, () => this.#tell(name, this.#byCondition(key, value)));
      }
    }
    const isAbout = (some: readonly string[]): boolean => some.some((key) => keys.has(key));
    const asks = { requester: isAbout(ABOUT_REQUESTERS), license: isAbout(ABOUT_LICENSES) };
    const requesters = `requester ${asks.requester} ${asks.license}`;
    tellers.set(requesters, () => this.#tell(requesters, (i) => ofRequesters(this.#askerAt(i), asks)));
    if (PROOFS.some((key) => keys.has(key))) tellers.set('proof', () => this.#tell('proof', (i) => this.#provable(i)));
    if (keys.has('purpose')) tellers.set('purpose', () => this.#tell('purpose', (i) => `${this.#askerAt(i).purpose}`));
    const name = [...tellers.keys()].toSorted().join('\n');
    const known = this.#classes.get(name) ?? this.#combine([...tellers.values()]);
    this.#classes.set(name, known);
    return known;
  }

  #askerAt(audience: number): AskerClass {
    return this.#askers[audience] as AskerClass;
  }

  /** Returns whom a proof can be about: a requester, a crawler, both or neither. */
  #provable(audience: number): string {
    const requesters = this.#askerAt(audience).names.map(({ requester }) => requester !== null);
    return `${requesters.join()} ${(this.#facts[audience] ?? []).map(({ crawler }) => crawler !== null).join()}`;
  }

  /** Returns a text for each audience: the results of a condition for its names. */
  #byCondition(key: string, value: unknown): (audience: number) => string {
    const { condition } = getCondition(key);
    if (condition.about !== 'check') return () => '';
    const test = condition.compile(value as never);
    return (audience) => (this.#facts[audience] ?? []).map((facts) => String(test(facts))).join();
  }

  #tell(name: string, textOf: (audience: number) => string): Uint16Array {
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    const found = new Map<string, number>();
    const numbers = Uint16Array.from(this.#askers, (_, audience) => numberName(found, textOf(audience)));
    this.#numbers.set(name, numbers);
    return numbers;
  }

  #combine(tellers: readonly (() => Uint16Array)[]): Classes {
    let classOf = new Uint16Array(this.#askers.length);
    for (const teller of tellers) {
      const numbers = teller();
      const found = new Map<number, number>();
      classOf = classOf.map((before, i) => numberName(found, before * CLASSES_MAX + (numbers[i] as number)));
    }
    const classes: AskerClass[] = [];
    for (const [audience, of] of classOf.entries()) if (of === classes.length) classes.push(this.#askerAt(audience));
    return { classOf, classes };
  }
}

/** Returns the number of a name: names are numbered in the order of their first appearance. */
function numberName<N>(numbers: Map<N, number>, name: N): number {
  const known = numbers.get(name) ?? numbers.size;
  numbers.set(name, known);
  return known;
}

interface Asks {
  requester: boolean;
  license: boolean;
}

const ofRequesters = ({ names }: AskerClass, asks: Asks): string =>
  names.map((name) => ofRequester(name, asks)).join('\n');

function ofRequester({ requester }: Name, asks: Asks): string {
  if (requester === null) return '';
  if (requester === 'ambiguous') return '?';
  const { id, known } = requester;
  const isOwn = asks.requester || (asks.license && known.licenses.length > 0);
  return (known.facts?.suspended === true ? '!' : '') + (isOwn ? id : '');
}

const BLANK = {
  at: 0,
  content: null,
  requesterId: null,
  requester: null,
  permission: null,
  purpose: null,
  country: null,
  ip: null,
  licenses: [],
} as const;

/** Numbers of texts that are kept in memory, by their places among the texts of their kind. */
import { DICTIONARIES, type DictionaryName } from '../columns/dictionary.ts';
import type { BatchTexts } from './batch.ts';
import { Texts } from './texts.ts';

/** Texts of a kind. */
const KEPT_MAX = 200_000;
/** While its number is asked for. */
const PENDING = -1;

/** Numbers new texts, and returns the numbers of all. */
type NumberTexts = (dictionary: DictionaryName, ids: ReadonlySet<string>) => Promise<ReadonlyMap<string, number>>;

export class KnownNumbers {
  readonly #number: NumberTexts;
  #texts = new Map<DictionaryName, Texts>();
  /** By place; 0: not known. A batch may have places among texts that were forgotten: then it begins anew. */
  #numbers = new WeakMap<Texts, Int32Array>();

  constructor(number: NumberTexts) {
    this.#number = number;
  }

  forget(): void {
    this.#texts = new Map();
    this.#numbers = new WeakMap();
  }

  /** Returns the texts for a batch to begin with. */
  texts(): BatchTexts['named'] {
    return Object.fromEntries(DICTIONARIES.map((name) => [name, this.#textsOf(name)])) as BatchTexts['named'];
  }

  #textsOf(dictionary: DictionaryName): Texts {
    const known = this.#texts.get(dictionary);
    if (known !== undefined && known.count <= KEPT_MAX) return known;
    const texts = new Texts();
    this.#texts.set(dictionary, texts);
    return texts;
  }

  /** Returns the numbers of texts by their places, 0 for none, and numbers those that are new. */
  async toNumbers(
    { named }: Pick<BatchTexts, 'named'>,
    dictionary: DictionaryName,
    places: Int32Array,
  ): Promise<Int32Array> {
    const texts = named[dictionary];
    const known = this.#roomFor(texts);
    // Others may be of requesters that were erased meanwhile.
    const fresh = new Map<string, number>();
    for (let i = 0; i < places.length; i++) {
      const place = places[i] as number;
      if (place === 0 || known[place] !== 0) continue;
      known[place] = PENDING;
      fresh.set(texts.textAt(place), place);
    }
    try {
      if (fresh.size > 0) await this.#add(known, dictionary, fresh);
    } catch (error) {
      for (const place of fresh.values()) known[place] = 0;
      throw error;
    }
    const numbers = new Int32Array(places.length);
    for (let i = 0; i < places.length; i++) numbers[i] = known[places[i] as number] as number;
    return numbers;
  }

  async #add(known: Int32Array, dictionary: DictionaryName, fresh: ReadonlyMap<string, number>): Promise<void> {
    const numbers = await this.#number(dictionary, new Set(fresh.keys()));
    for (const [id, place] of fresh) known[place] = numbers.get(id) as number;
  }

  #roomFor(texts: Texts): Int32Array {
    const known = this.#numbers.get(texts) ?? new Int32Array(0);
    if (known.length > texts.count) return known;
    const room = new Int32Array(2 * texts.count + 1);
    room.set(known);
    this.#numbers.set(texts, room);
    return room;
  }
}

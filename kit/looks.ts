/** Counts how often a TextTrie looks at the text that it searches. */

/** Returns the calls of the only thing that looks at the searched text. */
export function looksAt(work: () => void): number {
  const { startsWith } = String.prototype;
  let looks = 0;
  const replaceBy = (value: typeof startsWith): void =>
    void Reflect.defineProperty(String.prototype, 'startsWith', { value, configurable: true, writable: true });
  replaceBy(function count(this: string, ...given: Parameters<typeof startsWith>) {
    looks++;
    return startsWith.apply(this, given);
  });
  try {
    work();
  } finally {
    replaceBy(startsWith);
  }
  return looks;
}

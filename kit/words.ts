/** A long list of words on few lines: `words('a b c')` is `['a', 'b', 'c']`. Line ends count as spaces. */
export const words = (text: string): string[] => text.trim().split(/\s+/);

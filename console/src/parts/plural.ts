/** Formats counts with their nouns. */
import { formatCount } from './show.tsx';

/** For example `1 item`, `11,594 items`. */
export const pluralize = (count: number, one: string, many = `${one}s`): string =>
  `${formatCount(count)} ${count === 1 ? one : many}`;

/** Matches a host or a path with many patterns at once. The time does not depend on how many begin differently. */

import { TextTrie } from '../text-trie.ts';
import type { Glob } from './glob.ts';
import { matchesPath, type PathPattern, type Target, toFoldedPath } from './url-pattern.ts';

export function hostSet(patterns: readonly string[]): (host: string) => boolean {
  const exact = new Set(patterns);
  const below = new Set(patterns.flatMap((pattern) => (pattern.startsWith('*') ? pattern.slice(1) : [])));
  return (host) => {
    if (exact.has(host)) return true;
    if (below.size === 0) return false;
    for (let dot = host.indexOf('.'); dot !== -1; dot = host.indexOf('.', dot + 1)) {
      if (below.has(host.slice(dot))) return true;
    }
    return false;
  };
}

export function pathSet(patterns: readonly PathPattern[]): (target: Target) => boolean {
  const asWritten = beginnings(patterns, ({ path }) => path);
  let folded: ReturnType<typeof beginnings> | undefined;
  return (target) => {
    if (target.folded === true) folded ??= beginnings(patterns, toFoldedPath);
    const find = target.folded === true ? (folded as typeof asWritten) : asWritten;
    if (target.spellings === undefined) return find(target.path, target);
    for (const text of target.spellings) if (find(text, target)) return true;
    return false;
  };
}

type Find = (text: string, target: Target) => boolean;

/** Tries the patterns whose literal beginning a spelling has. */
function beginnings(patterns: readonly PathPattern[], globOf: (pattern: PathPattern) => Glob): Find {
  const byBeginning = new TextTrie<PathPattern[]>();
  const withoutBeginning: PathPattern[] = [];
  for (const [beginning, some] of Map.groupBy(patterns, (pattern) => globOf(pattern).parts[0] as string)) {
    if (beginning === '') withoutBeginning.push(...some);
    else byBeginning.set(beginning, some);
  }
  return (text, target) => {
    for (const pattern of withoutBeginning) if (matchesPath(pattern, target)) return true;
    for (const some of byBeginning.startsOf(text)) {
      for (const pattern of some) if (matchesPath(pattern, target)) return true;
    }
    return false;
  };
}

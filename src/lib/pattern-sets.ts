/** Matches a host or a path with many patterns at once. The time does not depend on how many begin differently. */
import { TextTrie } from './text-trie.ts';
import { matchesPath, type PathPattern, type Target } from './url-pattern.ts';

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
  const byBeginning = new TextTrie<PathPattern[]>();
  const withoutBeginning: PathPattern[] = [];
  for (const [beginning, some] of Map.groupBy(patterns, ({ path }) => path.parts[0] as string)) {
    if (beginning === '') withoutBeginning.push(...some);
    else byBeginning.set(beginning, some);
  }
  return (target) => {
    for (const pattern of withoutBeginning) if (matchesPath(pattern, target)) return true;
    for (const some of byBeginning.startsOf(target.path)) {
      for (const pattern of some) if (matchesPath(pattern, target)) return true;
    }
    return false;
  };
}

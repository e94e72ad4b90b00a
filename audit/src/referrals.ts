/**
 * Operators whose services send readers: by the host of the referrer, or the `utm_source` that assistants add to links.
 */
import { Lru } from '../../src/lib/cache/lru.ts';

/** A host and all hosts below it. */
const HOSTS: Record<string, string> = {
  'chatgpt.com': 'OpenAI',
  'openai.com': 'OpenAI',
  'claude.ai': 'Anthropic',
  'perplexity.ai': 'Perplexity',
  'gemini.google.com': 'Google',
  'copilot.microsoft.com': 'Microsoft',
  'bing.com': 'Microsoft',
  'duckduckgo.com': 'DuckDuckGo',
  'mistral.ai': 'Mistral AI',
  'deepseek.com': 'DeepSeek',
  'you.com': 'You.com',
  'search.brave.com': 'Brave',
  'kagi.com': 'Kagi',
  'meta.ai': 'Meta',
  'facebook.com': 'Meta',
  'instagram.com': 'Meta',
  'threads.com': 'Meta',
  'threads.net': 'Meta',
  'yandex.com': 'Yandex',
  'yandex.ru': 'Yandex',
  'ya.ru': 'Yandex',
  'baidu.com': 'Baidu',
  'tiktok.com': 'ByteDance',
  'doubao.com': 'ByteDance',
  'phind.com': 'Phind',
  'andisearch.com': 'Andi',
  'iask.ai': 'iAsk',
  'liner.com': 'Liner',
};
/** Google has a host in each country. */
const GOOGLE = /(^|\.)google\.([a-z]{2,3}|com?\.[a-z]{2})$/;
const REMEMBERED = 5_000;

/** Returns a function that names the operator, or null; hosts of referrers are remembered. */
export function referrals(): (referrer: string | null, target: string | null) => string | null {
  const known = new Lru<string, { operator: string | null }>(REMEMBERED);
  const remembered = (host: string): string | null => {
    // No host is longer; each dot of a longer one would cost its length.
    if (host.length > HOST_LENGTH_MAX) return null;
    const before = known.get(host);
    if (before !== undefined) return before.operator;
    const operator = findOperator(host);
    known.set(host, { operator });
    return operator;
  };
  return (referrer, target) => {
    const host = referrer === null ? undefined : hostOf(referrer);
    const operator = host === undefined ? null : remembered(host);
    if (operator !== null || target === null) return operator;
    const at = target.indexOf('utm_source=');
    if (at === -1) return null;
    const end = target.indexOf('&', at);
    return remembered(target.slice(at + 'utm_source='.length, end === -1 ? undefined : end));
  };
}

const HOST_LENGTH_MAX = 253;

function hostOf(referrer: string): string | undefined {
  const scheme = referrer.indexOf('://');
  if (scheme === -1 || scheme > 11) return undefined;
  let end = scheme + 3;
  while (end < referrer.length && !HOST_ENDS.has(referrer.charCodeAt(end))) end++;
  return referrer.slice(scheme + 3, end);
}

const HOST_ENDS = new Set([...'/?#:'].map((one) => one.charCodeAt(0)));

function findOperator(name: string): string | null {
  const host = name.toLowerCase();
  for (let rest = host; ; rest = rest.slice(rest.indexOf('.') + 1)) {
    if (Object.hasOwn(HOSTS, rest)) return HOSTS[rest] as string;
    if (!rest.includes('.')) break;
  }
  return GOOGLE.test(host) ? 'Google' : null;
}

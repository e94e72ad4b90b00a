/** URLs as they are meant, all their spellings, and patterns of paths. */
import { domainToASCII } from 'node:url';
import * as fc from '../../kit/fast-check.ts';
import { parsePathPattern } from '../../src/lib/urls/url-pattern.ts';

const HOSTS = ['a.example', 'www.a.example', 'b.a.example:8080', 'localhost', 'bücher.example', 'ä.a.example:8080'];
const part = fc.constantFrom('/news', '/n', '/ä', '/a b', '/%', '/x?y', '/*', '/$', ';v=1', '.pdf', '', 'e', '+');
const query = fc.constantFrom('', '', 'id=1', 'id=1&x', 'id=12', 'id=1=2', 'q=ä', 'a+b', 'a b', '%', '*');

/** A path and a query as they are meant, before they are spelled. */
export interface Meant {
  host: string;
  path: string;
  query: string;
}
export const meant: fc.Arbitrary<Meant> = fc.record({
  host: fc.constantFrom(...HOSTS),
  path: fc
    .array(part, { maxLength: 4 })
    .map((parts) => (parts.join('').startsWith('/') ? parts.join('') : `/${parts.join('')}`)),
  query,
});

/** Spells a character: as it is where a URL may have it, else, or if asked to, encoded. */
const spell = (text: string, plain: RegExp, isEncoded: (i: number) => boolean): string =>
  [...text]
    .map((character, i) => {
      if (plain.test(character) && !isEncoded(i)) return character;
      const octets = [...Buffer.from(character)];
      return octets
        .map((octet) => `%${octet.toString(16).padStart(2, '0')[i % 2 === 0 ? 'toUpperCase' : 'toLowerCase']()}`)
        .join('');
    })
    .join('');

/** Every spelling of one URL that the rules of locators take. */
export function toUrl({ host, path, query: meantQuery }: Meant, bits: number): string {
  const bit = (i: number): boolean => ((bits >> (i % 28)) & 1) === 1;
  const [name = '', port] = host.split(':');
  // A name in another script: as it is, in punycode, or encoded.
  const cased = (text: string): string => (bit(0) ? text.toUpperCase() : text);
  const encoded = encodeURIComponent(cased(name));
  const scripted = bit(7) ? cased(domainToASCII(name)) : bit(8) ? encoded : cased(name);
  const spelledHost = scripted + (bit(1) ? '.' : '');
  const spelledPort = port === undefined ? (bit(2) ? ':443' : '') : `:${port}`;
  // An encoded slash, and an escape that is still one after decoding, have no locator.
  const spelledPath = path
    .split('/')
    .map((segment) => spell(segment, /[\w\-.~!$&'()*+,;=:@]/, bit))
    .join('/');
  // What parts parameters, and names from values, is never encoded: it would be a part of them.
  const spelledQuery = meantQuery
    .split(/(&|(?<=(?:^|&)[^=&]*)=)/)
    .map((one, i) => (i % 2 === 1 ? one : spell(one, /[\w\-.~!$'()*,;=:@/?]/, bit)))
    .join('')
    .replaceAll('%20', bit(3) ? '+' : '%20');
  const end = meantQuery === '' ? (bit(4) ? '?' : '') : `?${spelledQuery}`;
  return `${bit(5) ? 'https' : 'HTTP'}://${bit(6) ? 'user@' : ''}${spelledHost}${spelledPort}${spelledPath}${end}`;
}

export const pathPattern = fc
  .tuple(
    fc.array(fc.oneof(part, fc.constantFrom('*', '%2A', '%3F')), { maxLength: 4 }),
    query,
    fc.boolean(),
    fc.boolean(),
  )
  .map(([parts, wanted, hasQuery, isEnd]) => {
    const path = parts
      .join('')
      .replaceAll('?', '%3F')
      .replaceAll(' ', '%20')
      .replaceAll(/%(?![0-9A-F]{2})/g, '%25');
    const rooted = /^[/*]/.test(path) ? path : `/${path}`;
    const asked = hasQuery && wanted !== '' ? `?${wanted.replaceAll(' ', '%20').replaceAll(/%(?!20)/g, '%25')}` : '';
    return `${rooted}${asked}${isEnd ? '$' : ''}`;
  })
  .filter((text) => parsePathPattern(text) !== undefined);

/** Chooses a spelling. */
export const bits = fc.nat({ max: 2 ** 28 });

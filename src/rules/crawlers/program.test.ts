/** The program of a user agent: tokens of programs, browsers, and nothing. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from '../../../kit/fast-check.ts';
import { BROWSERS, findProgram, isProgram, NO_USER_AGENT, OTHER_PROGRAMS } from './program.ts';

const WEBKIT = 'AppleWebKit/537.36 (KHTML, like Gecko)';
const CHROME = `Mozilla/5.0 (X11; Linux x86_64) ${WEBKIT} Chrome/131.0.0.0 Safari/537.36`;

test('a program is its first product token', () => {
  const cases: [string, string][] = [
    ['curl/8.5.0', 'curl'],
    ['python-requests/2.31.0', 'python-requests'],
    ['Python/3.12 aiohttp/3.9.1', 'python'],
    ['Go-http-client/2.0', 'go-http-client'],
    ['node', 'node'],
    ['okhttp/4.12.0', 'okhttp'],
    ['Dalvik/2.1.0 (Linux; U; Android 13; Pixel 7 Build/TQ3A)', 'dalvik'],
    ['MyReader/3.1 CFNetwork/1490.0.4 Darwin/23.2.0', 'myreader'],
    ['Feedfetcher-Google; (+http://www.google.com/feedfetcher.html; 12 subscribers)', 'feedfetcher-google'],
    ['Java/17.0.2', 'java'],
    ['Twitterbot', 'twitterbot'],
    [' "NewsGrabber/1.0"', 'newsgrabber'],
    ['(compatible; Odd/1.0)', 'odd'],
    ['Mozilla/5.0 (compatible; FooBot/1.0; +https://foo.example/bot)', 'foobot'],
    ['Mozilla/5.0 (compatible; +https://foo.example/bot; FooBot/1.0)', 'foobot'],
    ['Mozilla/5.0 (compatible; archive.org_bot +http://archive.org/details/archive.org_bot)', 'archive.org_bot'],
    ['Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; KimiBot/1.0; +https://kimi.example)', 'kimibot'],
    [`${CHROME} (compatible; Reader/2.1; +http://reader.example/bot.html)`, 'reader'],
    [`${CHROME} (Applish/0.1; +http://apple.example/bot)`, 'applish'],
    [`${CHROME} FooFetch/2.1 (+https://foo.example/)`, 'foofetch'],
    [`${CHROME} OtherBot/1.0`, 'otherbot'],
    ['Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 HeadlessChrome/120.0 Safari/537.36', 'headlesschrome'],
    ['Mozilla/5.0 (Windows NT; Windows NT 10.0; en-US) WindowsPowerShell/5.1.19041', 'windowspowershell'],
    ['Mozilla/5.0', 'mozilla'],
    ['Mozilla/5.0 (Windows NT 10.0; Win64; x64)', 'mozilla'],
    ['Mozilla/5.0 (compatible)', 'mozilla'],
    ['ünBot/1.0', 'nbot'],
    [`${'A'.repeat(100)}/1.0`, 'a'.repeat(64)],
  ];
  for (const [agent, program] of cases) assert.equal(findProgram(agent), program, agent);
});

test('browsers are no programs', () => {
  const agents = [
    CHROME,
    `${CHROME} Edg/131.0.0.0`,
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${WEBKIT} Chrome/130.0.0.0 Safari/537.36 OPR/115.0.0.0`,
    `Mozilla/5.0 (Linux; Android 10; K) ${WEBKIT} Chrome/131.0.0.0 Mobile Safari/537.36`,
    `Mozilla/5.0 (Linux; Android 9; CUBOT_NOTE_S Build/PPR1) ${WEBKIT} Chrome/131.0.0.0 Mobile Safari/537.36`,
    `Mozilla/5.0 (Linux; Android 9; CUBOT) ${WEBKIT} Chrome/131.0.0.0 Mobile Safari/537.36`,
    `Mozilla/5.0 (Linux; Android 13; V2206 Build/TP1A; wv) ${WEBKIT} Version/4.0 Chrome/120.0 Mobile Safari/537.36 [FB_IAB/FB4A;FBAV/450.0.0.38.108;]`,
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/21B91 Instagram 309.1.1.28.108 (iPhone14,5; iOS 17_1; de_DE)',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.6 Mobile/15E148 Safari/604.1',
    'Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0',
    'Mozilla/5.0 (Windows NT 10.0; WOW64; Trident/7.0; rv:11.0) like Gecko',
    'Mozilla/4.0 (compatible; MSIE 8.0; Windows NT 6.1; Trident/4.0)',
    'Mozilla/5.0 (compatible; Konqueror/4.5; Linux) KHTML/4.5.4 (like Gecko)',
    'Opera/9.80 (Windows NT 6.1; WOW64) Presto/2.12.388 Version/12.18',
    'Mozilla/5.0 (PlayStation 5 3.20) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/13.0 Safari/605.1.15',
    'Mozilla/5.0 (SMART-TV; Linux; Tizen 6.0) AppleWebKit/537.36 (KHTML, like Gecko) 76.0.3809.146/6.0 TV Safari/537.36',
    'Lynx/2.9.0dev.12 libwww-FM/2.14 SSL-MM/1.4.1 GNUTLS/3.7.8',
  ];
  for (const agent of agents) {
    assert.equal(findProgram(agent), BROWSERS, agent);
    assert.ok(!isProgram(agent), agent);
  }
});

describe('names', () => {
  test('nothing is no program', () => {
    for (const none of [null, undefined, '', '  ', '\t']) assert.equal(findProgram(none), NO_USER_AGENT);
    assert.ok(!isProgram(' '));
  });

  test('nobody hides behind the names of the others', () => {
    for (const agent of ['browsers/1.0', 'Browsers', 'other/2', '日本', '()', '///']) {
      assert.equal(findProgram(agent), OTHER_PROGRAMS, agent);
      assert.ok(isProgram(agent), agent);
    }
  });

  test('any user agent has a name of at most 64 characters, at once', () => {
    const word = fc.constantFrom('Mozilla/5.0', '(', ')', ';', ' ', 'compatible', 'http://x', 'Bot/1', 'ü', '@', '\t');
    const agent = fc.oneof(
      fc.string(),
      fc.array(word).map((words) => words.join('')),
    );
    fc.assert(
      fc.property(agent, (one) => {
        const program = findProgram(one);
        if (program === NO_USER_AGENT) assert.equal(one.trim(), '');
        else assert.match(program, /^[\w!#$%&'*+.^`|~-]{1,64}$/);
        assert.equal(program, program.toLowerCase());
      }),
    );
    for (const one of ['(', ';', ' compatible;', '(compatible;', 'Bot/', '@']) {
      findProgram(`Mozilla/5.0 ${one.repeat(100_000)}`);
    }
  });
});

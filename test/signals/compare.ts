/** Compares what files say with what the service answers. */
import assert from 'node:assert/strict';
import robotsParser from 'robots-parser';
import type { TestService } from '../../kit/service.ts';
import { askDoor, findFree, type Question } from './door.ts';
import { CRAWLER_NAMES, HOST, RESERVED, URLS, type World } from './given.ts';

const TOKENS = ['*', ...CRAWLER_NAMES];
const ORIGIN = `https://${HOST}`;

interface Robots {
  isAllowed(url: string, token: string): boolean | undefined;
  /** From 1; -1: no line is about it. */
  getMatchingLineNumber(url: string, token: string): number;
}

/** Its types name a default export that the module does not have. */
const parse = robotsParser as unknown as (url: string, text: string) => Robots;

export interface Said {
  robots: Robots;
  /** The words of Content-Signal, by token in lowercase. */
  signals: Map<string, Map<string, string>>;
}

export function readStatements(text: string): Said {
  return { robots: parse(`${ORIGIN}/robots.txt`, text), signals: readSignals(text) };
}

/** A second reading of groups: the parser does not know Content-Signal. */
function readSignals(text: string): Said['signals'] {
  const signals: Said['signals'] = new Map();
  let tokens: string[] = [];
  let isNaming = false;
  for (const line of text.slice(text.indexOf('# BEGIN Postern')).split('\n')) {
    const [name = '', ...rest] = line.split(':');
    const value = rest.join(':').trim();
    if (/^user-agent$/i.test(name)) {
      tokens = isNaming ? [...tokens, value.toLowerCase()] : [value.toLowerCase()];
      isNaming = true;
    } else if (name.trim() !== '' && !name.startsWith('#')) {
      isNaming = false;
      if (!/^content-signal$/i.test(name)) continue;
      const words = new Map(value.split(',').map((word) => word.trim().split('=') as [string, string]));
      for (const token of tokens) signals.set(token, words);
    }
  }
  return signals;
}

const USES: Record<string, string[]> = {
  'ai-train': ['training', 'fine_tuning'],
  'ai-input': ['grounding', 'rag', 'user_fetch'],
  search: ['search'],
};

/** Returns whether the site's own file, which stands beside our rules, disallows a URL. */
function readBase(base: string | null): (url: string, token: string) => boolean {
  if (base === null) return () => false;
  // The parser overlooks a last group without a rule, which disallows nothing (RFC 9309, section 2.2.1).
  const robots = parse(`${ORIGIN}/robots.txt`, `${base}\nDisallow:\n`);
  return (url, token) => robots.isAllowed(ORIGIN + url, token) === false;
}

export async function compare(
  postern: TestService,
  { given, said, text, report }: { given: World; said: Said; text: string; report: any },
): Promise<{ statements: number; stricter: number }> {
  const baseDisallows = readBase(given.base);
  const questions: Question[] = URLS.flatMap((url) => TOKENS.map((token) => ({ url, token, purpose: null })));
  const doors = await askDoor(postern, questions);
  const aboutRobots = report.cannotExpress.map((one: any) => one.message).join('\n');
  let stricter = 0;
  let statements = 0;
  for (const [i, { url, token }] of questions.entries()) {
    const door = doors[i];
    if (door === undefined) continue;
    statements++;
    const isAllowed = said.robots.isAllowed(ORIGIN + url, token);
    const fail = (why: string): never =>
      assert.fail(`${why}: ${token} ${url}\n${text}\n${JSON.stringify(report.cannotExpress)}`);
    if (isAllowed === true) {
      if (!door) fail('the file allows what is denied');
      if (baseDisallows(url, token)) fail('our rules open what the site closed');
    }
    if (isAllowed === false && door) {
      stricter++;
      if (!baseDisallows(url, token) && aboutRobots === '') fail('the file denies what is allowed');
    }
  }
  statements += await compareReserved(postern, { said, text });
  statements += await compareSignals(postern, { said, text });
  return { statements, stricter };
}

const FOLDER = 'Allow: /.well-known/';
/** Some servers read such a path as another one. */
const isOdd = (url: string): boolean => /[;%]|\/\/|\.\w*\/|\.$|::/.test(url.split('?')[0] as string);

/** The files for crawlers are allowed to everybody; what only looks like one of them is as its policy says. */
async function compareReserved(postern: TestService, { said, text }: { said: Said; text: string }): Promise<number> {
  const free = await findFree(postern, RESERVED);
  assert.ok(free.has('/robots.txt') && free.has('/maps/all.xml') && !free.has('/robots.txt?x=1'));
  const lines = text.split('\n');
  // Files list paths, not all ways of writing them: what is refused for its form alone is closed by no line elsewhere.
  const isSaid = (url: string, token: string): boolean =>
    !isOdd(url) || lines[said.robots.getMatchingLineNumber(ORIGIN + url, token) - 1]?.startsWith(FOLDER) === true;
  const questions: Question[] = RESERVED.filter((url) => !free.has(url)).flatMap((url) =>
    TOKENS.filter((token) => said.robots.isAllowed(ORIGIN + url, token) === true && isSaid(url, token)).map(
      (token) => ({ url, token, purpose: null }),
    ),
  );
  const doors = await askDoor(postern, questions);
  for (const [i, { url, token }] of questions.entries()) {
    assert.notEqual(doors[i], false, `the file allows what is denied: ${token} ${url}\n${text}`);
  }
  return doors.filter((one) => one !== undefined).length;
}

/** A use that the file permits is allowed wherever the file allows access. */
async function compareSignals(postern: TestService, { said, text }: { said: Said; text: string }): Promise<number> {
  const permitted = TOKENS.flatMap((token) => {
    const words = said.signals.get(token.toLowerCase()) ?? said.signals.get('*') ?? new Map<string, string>();
    return [...words].filter(([, value]) => value === 'yes').map(([word]) => ({ token, word }));
  });
  const questions = permitted.flatMap(({ token, word }) =>
    URLS.filter((url) => said.robots.isAllowed(ORIGIN + url, token) === true).flatMap((url) =>
      (USES[word] ?? []).map((purpose) => ({ url, token, purpose })),
    ),
  );
  const doors = await askDoor(postern, questions);
  for (const [i, { url, token, purpose }] of questions.entries()) {
    assert.notEqual(doors[i], false, `Content-Signal permits ${purpose}: ${token} ${url}\n${text}`);
  }
  return doors.filter((one) => one !== undefined).length;
}

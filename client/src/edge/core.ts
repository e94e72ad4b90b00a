/**
 * The decision about a visit, the same for every guard and every platform. Promise: only what Postern allows is served
 * to whom it is asked about; a timeout, an error and unregistered content are denials unless the options say otherwise;
 * the files with rules for crawlers are never refused; a page view is one check.
 */
import type { Check } from '../types.ts';
import type { Ask, Asked } from './asker.ts';
import { isRefusal } from './breaker.ts';
import type { AskAbout, CommonOptions, Known } from './options.ts';
import { urlOf } from './question.ts';
import type { Refusals } from './refusals.ts';
import { isListedFile, isSiteFile } from './site-files.ts';
import {
  allowedUnasked,
  allowedWithout,
  answeredPreflight,
  refusedUnknown,
  refusedWithout,
  servedAlways,
  type Verdict,
  verdictOf,
  withPage,
} from './verdict.ts';
import { isPreflight, type Visit } from './visit.ts';
import { isAskedAbout } from './who.ts';

export interface CoreOptions extends CommonOptions {
  /** The visitors to ask about. `programs` serves everything that looks like a browser without asking. */
  ask: AskAbout;
  /** The verdict without an answer of the service. */
  onError: 'deny' | 'allow';
  /** Adds prices and a page to refusals; absent: they are problem details alone. */
  refusals?: Refusals | undefined;
}

/** A visit, as the server or platform sees it. */
export interface Seen {
  visit: Visit;
  known: Known;
  ask: Ask;
  /** Returns the checks of the visit: the first that finds something decides. An error of it reaches the caller. */
  checks(): Promise<readonly Check[]>;
  /** Takes work that goes on beside the answer; absent: the answer waits for it. */
  later?: ((work: Promise<unknown>) => void) | undefined;
}

export type Decide = (seen: Seen) => Promise<Verdict>;

/** Throws TypeError for invalid options: a misconfigured guard must not start. */
export function openCore(options: CoreOptions): Decide {
  requireOptions(options);

  async function askAbout({ visit, ask, checks }: Seen): Promise<Verdict> {
    // An error of your own callbacks reaches you and never becomes an allow.
    const all = await checks();
    try {
      for (const check of all) {
        const verdict = answerTo(await ask(check), visit);
        if (verdict !== undefined) return verdict;
      }
      return options.unknown === 'allow' ? allowedWithout('content_unknown') : refusedUnknown();
    } catch (error) {
      options.report?.(error);
      // A refusal of the guard's own request, such as its key, never allows.
      return options.onError === 'allow' && !isRefusal(error) ? allowedWithout('no_decision') : refusedWithout();
    }
  }

  /** Returns the verdict; undefined for unregistered content. */
  function answerTo(asked: Asked, visit: Visit): Verdict | undefined {
    if (isListedFile(asked, visit)) return servedAlways();
    if ('error' in asked && asked.error.code === 'content_not_found') return undefined;
    // A token is sent on only with one of its two schemes.
    const [scheme = ''] = (visit.header('authorization') ?? '').split(' ');
    return verdictOf(shownOf(options, asked), options.challenge ?? 'Bearer', scheme, (offered) =>
      options.refusals?.offers(offered, urlOf(options, visit)),
    );
  }

  return async (seen) => {
    const { visit, known, later } = seen;
    if (options.mode === 'off' || isSiteFile(visit)) return servedAlways();
    if (!isAskedAbout(options.ask, visit, known)) return allowedUnasked();
    if (options.mode === 'observe') {
      const work = askAbout(seen).catch((error) => options.report?.(error));
      await (later === undefined ? work : later(work));
      return allowedUnasked();
    }
    if (isPreflight(visit)) return answeredPreflight();
    const verdict = await askAbout(seen);
    const text = verdict.problem && options.refusals?.page?.(visit.header('accept'), verdict.problem);
    return text == null ? verdict : withPage(verdict, text);
  };
}

const CHOICES = ['deny', 'allow'];

function requireOneOf(name: string, value: unknown, values: readonly string[]): void {
  if (!values.includes(value as string)) throw new TypeError(`\`${name}\` must be '${values.join("' or '")}'`);
}

function requireOptions({ origin, ask, mode, onError, unknown }: CoreOptions): void {
  if (origin !== undefined && !/^https?:\/\/[^/?#\s@\\]+\/?$/.test(origin)) {
    throw new TypeError('`origin` must be like https://example.com');
  }
  if (typeof ask !== 'function') requireOneOf('ask', ask, ['programs', 'everyone']);
  requireOneOf('onError', onError, CHOICES);
  requireOneOf('unknown', unknown ?? 'deny', CHOICES);
  requireOneOf('mode', mode ?? 'enforce', ['enforce', 'observe', 'off']);
}

function shownOf({ signals }: CoreOptions, asked: Asked): Asked {
  if (signals !== false || 'error' in asked) return asked;
  const { signals: _, ...rest } = asked;
  return rest;
}

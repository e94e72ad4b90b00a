/**
 * The words of the formats in which policies are published. Every word of a draft stands here and nowhere else.
 * RSL: RSL-SPEC-1.0 of 10 December 2025. AIPREF: draft-ietf-aipref-vocab-08, attached as in
 * draft-ietf-aipref-attach-05. Content-Signal: contentsignals.org. TDMRep: the Final Community Group Report of the W3C,
 * with ODRL 2.2.
 */

import { SITE_USES, type SiteUse } from '../../content/sites/site.ts';

/** The uses that the formats distinguish, each with purposes of checks. */
export const USES = SITE_USES;
export type Use = SiteUse;

export interface UseWords {
  /** The purposes of checks that belong to the use, unless the site names others. */
  readonly purposes: readonly string[];
  readonly rsl: string;
  /** null: the format has no word for it. */
  readonly aipref: string | null;
  readonly contentSignal: string | null;
  /** Text and data mining, which a reservation withholds. */
  readonly tdm: boolean;
  readonly doc: string;
}

export const USE_WORDS: { readonly [U in Use]: UseWords } = {
  training: {
    purposes: ['training', 'fine_tuning'],
    rsl: 'ai-train',
    aipref: 'train-ai',
    contentSignal: 'ai-train',
    tdm: true,
    doc: 'Training and fine-tuning of models',
  },
  input: {
    purposes: ['grounding', 'rag', 'user_fetch'],
    rsl: 'ai-input',
    aipref: 'ai-use',
    contentSignal: 'ai-input',
    tdm: true,
    doc: 'Input of a model that answers a person',
  },
  index: {
    purposes: ['ai_index'],
    rsl: 'ai-index',
    aipref: null,
    contentSignal: null,
    tdm: true,
    doc: 'Indexes for models',
  },
  search: {
    purposes: ['search'],
    rsl: 'search',
    aipref: 'search',
    contentSignal: 'search',
    tdm: false,
    doc: 'Search results that link to the page',
  },
};

/** The words of each format beside those of the uses. Values of preferences: for denied, then for allowed. */
export const FORMATS = {
  contentSignal: { values: ['no', 'yes'] },
  aipref: { values: ['n', 'y'] },
  tdmrep: {
    values: [1, 0],
    context: ['http://www.w3.org/ns/odrl.jsonld', 'http://www.w3.org/ns/tdmrep.jsonld'],
    profile: 'http://www.w3.org/ns/tdmrep',
  },
  rsl: { namespace: 'https://rslstandard.org/rsl', everything: 'all', x402: 'application/x402+json' },
} as const;

/** Media types. That of RSL is not registered with IANA. */
export const MEDIA_TYPES = {
  robots: 'text/plain; charset=utf-8',
  rsl: 'application/rsl+xml; charset=utf-8',
  json: 'application/json; charset=utf-8',
  odrl: 'application/ld+json; charset=utf-8',
} as const;

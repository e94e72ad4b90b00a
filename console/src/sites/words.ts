/** Signals in words that need no knowledge of the formats. */
import type { Answer } from '../api/client.ts';

export type Site = Answer<'GET /v1/sites/{host}'>;
export type Signals = Site['signals'];
type Flag = Exclude<keyof Signals, 'robots' | 'robotsBase'>;

export const SWITCHES: readonly { name: Flag; label: string; about: string }[] = [
  {
    name: 'public',
    label: 'Everybody may read the files here',
    about: 'Your web server can then fetch them from Postern without a key.',
  },
  {
    name: 'contentSignal',
    label: 'Content-Signal',
    about: 'A line in robots.txt about search, AI input and AI training.',
  },
  {
    name: 'license',
    label: 'Machine-readable license (RSL)',
    about: 'license.xml: the uses you permit, the price, and whom to ask.',
  },
  {
    name: 'licenseServer',
    label: 'License server',
    about: 'license.xml names it, and crawlers then need its tokens. Your service must know its public address.',
  },
  {
    name: 'tdmrep',
    label: 'Reservation of text and data mining (TDMRep)',
    about: 'tdmrep.json, which European law and scholarly publishers go by.',
  },
  {
    name: 'contentUsage',
    label: 'Content-Usage (AIPREF)',
    about: 'A draft of the IETF that may still change.',
  },
  {
    name: 'link',
    label: 'Name the license with every answer',
    about: 'A Link header on what your proxy serves.',
  },
];

export const ROBOTS = [
  { value: 'augment', label: 'Add to my own' },
  { value: 'replace', label: 'Write all of it' },
  { value: 'off', label: 'Leave it alone' },
];

/** `robots.txt, license, TDMRep`; `nothing`. */
export function publishedWords(signals: Signals): string {
  const parts = [
    signals.robots === 'off' ? undefined : 'robots.txt',
    signals.license ? 'license' : undefined,
    signals.tdmrep ? 'TDMRep' : undefined,
    signals.contentUsage ? 'Content-Usage' : undefined,
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? 'nothing' : parts.join(', ');
}

/** The uses of the formats. */
export const USES: Record<string, string> = {
  training: 'AI training',
  input: 'AI answers',
  index: 'AI index',
  search: 'Search',
};

const UNKNOWNS: Record<string, string> = {
  time: 'at some times',
  address: 'from some addresses or countries',
  limit: 'within a limit',
  verification: 'if they prove who they are',
  license: 'with a license',
};

export const variesWords = (varies: readonly string[]): string =>
  `Allowed only ${varies.map((unknown) => UNKNOWNS[unknown] ?? unknown).join(', ')}`;

/** Words for the live files, compared with the intended ones. */
export const DRIFT_STATES = {
  same: { tone: 'allowed', text: 'as it should be' },
  drifted: { tone: 'denied', text: 'says something else' },
  unreachable: { tone: undefined, text: 'could not be read' },
  unchecked: { tone: undefined, text: 'not looked at yet' },
} as const;

export const FILE_STATES = {
  same: { tone: 'allowed', text: 'as it should be' },
  drifted: { tone: 'denied', text: 'differs' },
  unreachable: { tone: undefined, text: 'could not be read' },
  off: { tone: undefined, text: 'off' },
} as const;

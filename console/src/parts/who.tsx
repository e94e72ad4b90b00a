/** The name of a visitor: a partner or bot, a crawler, a program, browsers, or no user agent. */
import { BROWSERS, findProgram, NO_USER_AGENT } from '../../../src/rules/crawlers/program.ts';
import type { Answer, Row } from '../api/client.ts';
import { Chip, CrawlerLink, type Outcome, RequesterLink } from './show.tsx';

export type Who = Answer<'GET /v1/analytics/visitors'>['visitors'][number]['who'];

const UNNAMED: Record<'browsers' | 'no_user_agent' | 'unknown', string> = {
  browsers: 'Browsers',
  no_user_agent: 'No user agent',
  unknown: 'Not known',
};

const isUnnamed = (kind: Who['kind']): kind is keyof typeof UNNAMED => kind in UNNAMED;

type Decision = Pick<
  Row<'GET /v1/access/decisions'>,
  'requesterId' | 'names' | 'crawler' | 'spoofed' | 'context' | 'reduced'
>;

/** Returns the visitor of a decision, as reports count it. */
export function whoAsked({ requesterId, names, crawler, spoofed, context, reduced = [] }: Decision): Who {
  if (requesterId !== null) return { kind: 'requester', id: requesterId, name: names?.requester ?? requesterId };
  if (crawler !== null) {
    const proven = context?.crawlerVerified === true ? 'verified' : 'none';
    return { kind: 'crawler', id: crawler, name: crawler, proof: spoofed ? 'spoofed' : proven };
  }
  const isKept = !reduced.some((one) => one === 'context' || one === 'context.userAgent');
  return context === null || !isKept ? { kind: 'unknown', id: null, name: null } : toProgram(context.userAgent);
}

function toProgram(userAgent: string | undefined): Who {
  const program = findProgram(userAgent);
  if (program === BROWSERS) return { kind: 'browsers', id: null, name: null };
  if (program === NO_USER_AGENT) return { kind: 'no_user_agent', id: null, name: null };
  return { kind: 'program', id: program, name: program };
}

/** Returns a key that is unique among the visitors of a list. */
export const whoKey = ({ kind, id, proof = 'none' }: Who): string => `${kind} ${id ?? ''} ${proof}`;

/** Formats a visitor as text, for legends and summaries. */
export function whoWords({ kind, id, name, proof }: Who): string {
  if (isUnnamed(kind)) return UNNAMED[kind];
  if (kind === 'program') return id === 'other' ? 'Other programs' : (id ?? '');
  return `${name ?? id}${proof === 'spoofed' ? ', forged' : ''}`;
}

export function WhoName({ who }: { who: Who }) {
  const { kind, id, name } = who;
  if (kind === 'requester') return <RequesterLink id={id} name={name ?? id ?? ''} />;
  if (kind === 'crawler') return <CrawlerLink name={id ?? ''} />;
  return whoWords(who);
}

interface WhoProofProps {
  who: Who;
  requests: number;
  verified: number;
}

/** Says what was proven of it; nothing of those that claim no name. */
export function WhoProof({ who: { kind, proof }, requests, verified }: WhoProofProps) {
  if (isUnnamed(kind)) return null;
  if (kind === 'program') return <Chip>program</Chip>;
  const [word, tone] = proofWords({ proof, requests, verified });
  return <Chip tone={tone}>{word}</Chip>;
}

function proofWords({
  proof,
  requests,
  verified,
}: Pick<Who, 'proof'> & Omit<WhoProofProps, 'who'>): [string, Outcome?] {
  if (proof === 'spoofed') return ['forged', 'denied'];
  if (requests > 0 && verified === requests) return ['verified', 'allowed'];
  return verified === 0 ? ['only claimed'] : ['partly verified', 'limited'];
}

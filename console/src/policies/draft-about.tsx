/** The button that drafts a rule about a visitor, in lists. */
import type { Who } from '../parts/who.tsx';
import { whoWords } from '../parts/who.tsx';
import { DraftRule } from './draft-rule.tsx';
import type { Subject } from './drafted-rules.ts';

/** Nothing for visitors without a name, and for forged ones: a rule about the name would meet its owner. */
export function DraftAbout({ who }: { who: Who }) {
  const subject = toSubject(who);
  if (subject === undefined) return null;
  return (
    <DraftRule subject={subject} name={whoWords(who)} size="compact-xs" variant="subtle" leftSection={undefined} />
  );
}

function toSubject({ kind, id, proof }: Who): Subject | undefined {
  if (id === null || id === 'other' || proof === 'spoofed') return undefined;
  if (kind === 'requester') return { requesterId: id };
  if (kind === 'crawler') return { crawler: id };
  return kind === 'program' ? { program: id } : undefined;
}

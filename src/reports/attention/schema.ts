/** The things that need attention, on the wire. */
import { type Static, Type } from 'typebox';
import { toIso } from '../../lib/clock.ts';
import { textOrNull } from '../../lib/nullable.ts';
import { formatItemMessage, ITEMS_MAX, type Item, KIND_NAMES, KINDS, SEVERITIES } from './item.ts';

const id = (description: string) => Type.Optional(Type.String({ description }));

export const AttentionItem = Type.Object(
  {
    kind: Type.Enum([...KIND_NAMES], {
      description: KIND_NAMES.map((kind) => `\`${kind}\`: ${KINDS[kind]}.`).join(' '),
    }),
    severity: Type.Enum([...SEVERITIES]),
    subject: Type.Object(
      {
        requesterId: id('The requester'),
        licenseId: id('The license'),
        requestId: id('The request for a license'),
        webhookId: id('The webhook'),
        host: id('The site'),
        crawler: id('The crawler'),
        program: id('The program'),
        claimed: id('The name that was falsely claimed'),
        url: id('The published list'),
        agent: id('The agent that signs'),
      },
      { description: 'The ids of what it is about' },
    ),
    message: Type.String({ description: 'What it is, in one sentence' }),
    since: textOrNull('Since when; null: not known'),
    path: Type.String({ description: 'The operation to continue with, as a path of this API' }),
  },
  { title: 'AttentionItem', description: 'Something that needs attention' },
);

export const AttentionAnswer = Type.Object(
  {
    object: Type.Literal('attention'),
    data: Type.Array(AttentionItem, { description: 'The most severe first' }),
    hasMore: Type.Boolean({ description: `There are more than ${ITEMS_MAX}` }),
  },
  { title: 'Attention', description: 'What needs attention now, as far as the key may read it' },
);
type AttentionAnswer = Static<typeof AttentionAnswer>;

export const attentionAnswer = (
  { items, hasMore }: { items: Item[]; hasMore: boolean },
  names: ReadonlyMap<string, string>,
): AttentionAnswer => ({
  object: 'attention',
  data: items.map((item) => ({
    ...item,
    message: formatItemMessage(item, names),
    since: item.since === null ? null : toIso(item.since),
  })),
  hasMore,
});

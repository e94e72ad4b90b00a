/** Warnings and refusals of the service about a draft's rules, in the words of the form. */
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { call, PosternError } from '../api/client.ts';
import { findRow, getVerb } from './condition-table.ts';
import { asDecided, conditionWords, type Draft, evaluationOrder, isSilent } from './rules.ts';

export interface RuleProblem {
  /** In the draft's list. */
  place: number;
  message: string;
  refused: boolean;
}

/** Validates the draft with the service when typing pauses. Unfinished rules are not judged yet. */
export function useProblems(draft: Draft): { inRules: RuleProblem[]; elsewhere: string[] } {
  const [{ rules, defaultAction }] = useDebouncedValue(draft, 300);
  const decided = asDecided(rules);
  const body = { rules: decided, defaultAction };
  const lint = useQuery({
    queryKey: ['POST /v1/policies/lint', { body }],
    queryFn: () => call('POST /v1/policies/lint', { body }),
    placeholderData: (last) => last,
  });
  const refused = lint.error instanceof PosternError ? lint.error : undefined;
  const found = [
    ...(refused === undefined ? (lint.data?.warnings ?? []) : []).map((one) => ({ ...one, refused: false })),
    ...listProblems(refused).map((one) => ({ ...one, refused: true })),
  ];
  const order = evaluationOrder(rules);
  const placed = found.map(({ param, message, refused: isRefused }) => {
    const number = numberIn(param);
    return { number, message: inFormWords(message, param), refused: isRefused };
  });
  return {
    inRules: placed.flatMap(({ number, ...one }) =>
      number === undefined || isSilent(decided[number]?.conditions) ? [] : { ...one, place: order[number] as number },
    ),
    elsewhere: placed.filter(({ number }) => number === undefined).map(({ message }) => message),
  };
}

const listProblems = (refused: PosternError | undefined) =>
  refused === undefined ? [] : (refused.details ?? [{ param: refused.param, message: refused.message }]);

/** Parses the index in `rules[2].conditions.country`. */
function numberIn(param: string | null | undefined): number | undefined {
  const number = /^(?:policy\.)?rules\[(\d+)\]/.exec(param ?? '')?.[1];
  return number === undefined ? undefined : Number(number);
}

/** The fields of a rule that are no conditions, as the form names them. */
const FIELDS: Readonly<Record<string, string>> = {
  permissions: 'It grants',
  rateLimit: 'Limit',
  message: 'Message',
  defaultAction: 'If no rule matches',
  deny: 'Deny',
  allow: 'Allow',
};

/** Rewrites a sentence of the service about rules in order of evaluation. `param` is what the sentence is about. */
export function inFormWords(message: string, param?: string | null): string {
  const words = message
    .replaceAll(/`?(?:policy\.)?rules\[(\d+)\]((?:\.\w+|\[\d+\])*)`?/g, (_, place, path: string) =>
      [fieldIn(path), `rule ${Number(place) + 1}`].filter((one) => one !== undefined).join(' of '),
    )
    .replaceAll(/`(\w+)(?:: ([^`]+))?`/g, (code, key, value) => named(key, value) ?? code);
  const field = message.includes('rules[') ? undefined : fieldIn(param ?? '');
  const sentence = field === undefined || words.includes(field) ? words : `${field}: ${words}`;
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}

/** Names the last field of a path that the form has. */
function fieldIn(path: string): string | undefined {
  const keys = path.match(/\w+/g) ?? [];
  return keys.map((key) => named(key)).findLast((one) => one !== undefined);
}

function named(key: string, value?: string): string | undefined {
  if (key === 'default') return value === 'true' ? '“Everything else”' : undefined;
  const found = findRow(key);
  if (found === undefined) return FIELDS[key] === undefined ? undefined : `“${FIELDS[key]}”`;
  const { row, negated } = found;
  if (value === 'true' || value === 'false') return `“${row.label}: ${value === 'true' ? 'yes' : 'no'}”`;
  if (value !== undefined) return `“${conditionWords(key, parsed(value))}”`;
  return negated ? `“${row.label} ${getVerb(row, true)} …”` : `“${row.label}”`;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

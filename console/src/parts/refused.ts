/** Refusals of the service in the words of a form: at the field at fault, or at the foot of the form. */
import { PosternError } from '../api/client.ts';

export interface Refused {
  /** Returns what is wrong with a field, by its name in the API. */
  at: (name: string) => string | undefined;
  /** Without what `at` returns. */
  elsewhere: string | undefined;
}

/** The labels of the fields, by their names in the API. */
type Labels = Readonly<Record<string, string>>;

/** Messages of the service that advise what only callers of the API can do. */
const OWN_WORDS: Readonly<Record<string, string>> = {
  external_id_exists: 'Another item has this external id. Edit that item, or choose another id.',
};

/** `lists`: the entries of fields that are lists, to quote the one at fault. */
export function toRefused(
  error: Error | undefined,
  labels: Labels,
  lists: Readonly<Record<string, readonly string[]>> = {},
): Refused {
  const problems = listProblems(error).map(({ param, message }) => {
    const name = /^\w+/.exec(param ?? '')?.[0];
    return { name: name !== undefined && name in labels ? name : undefined, words: inWords(message, labels, lists) };
  });
  const of = (name: string | undefined): string | undefined =>
    problems
      .filter((one) => one.name === name)
      .map(({ words }) => words)
      .join(' ') || undefined;
  return { at: of, elsewhere: of(undefined) };
}

function listProblems(error: Error | undefined): { param: string | null; message: string }[] {
  if (error === undefined) return [];
  if (error instanceof SyntaxError) return [{ param: 'metadata', message: 'The metadata is not valid JSON.' }];
  if (!(error instanceof PosternError)) return [{ param: null, message: error.message }];
  const message = OWN_WORDS[error.code] ?? error.message;
  return (
    error.details?.map((one) => ({ ...one, param: one.param ?? null })) ?? [{ param: error.param ?? null, message }]
  );
}

/** Replaces `hosts[0]` by the first host, and other names of fields by their labels. */
const inWords = (message: string, labels: Labels, lists: Readonly<Record<string, readonly string[]>>): string =>
  message.replaceAll(/`(\w+)(?:\[(\d+)\])?[^`]*`/g, (code, name: string, place?: string) => {
    const entry = place === undefined ? undefined : lists[name]?.[Number(place)];
    return entry === undefined ? (labels[name] ?? code) : `“${entry}”`;
  });

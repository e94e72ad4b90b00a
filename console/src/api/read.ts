/** Reads and writes of components. Answers are kept until something is written, then read again. */
import { QueryClient, type UseQueryResult, useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
import { type Answer, type Args, call, type Operation, open, PosternError } from './client.ts';
import { useRepeat } from './repeat.ts';

export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      // The transport retries.
      retry: false,
      refetchOnWindowFocus: true,
    },
  },
});

export interface ReadOptions {
  enabled?: boolean;
  /** Shows the last answer while the next one loads. */
  keep?: boolean;
  everyMs?: number | undefined;
}

export type Reading<T> = UseQueryResult<T>;

export function useRead<O extends Operation>(
  operation: O,
  args: Omit<Args<O>, 'body'> = {},
  { enabled = true, keep = false, everyMs }: ReadOptions = {},
): Reading<Answer<O>> {
  return useQuery<Answer<O>>({
    queryKey: [operation, args],
    queryFn: ({ signal }) => call(operation, { ...args, signal }),
    enabled,
    ...(keep ? { placeholderData: (last: Answer<O> | undefined) => last as never } : {}),
    ...(everyMs === undefined ? {} : { refetchInterval: everyMs }),
  });
}

/** Reads several records; undefined for each that is not there, or not there yet. */
export function useReads<O extends Operation>(
  operation: O,
  all: readonly Omit<Args<O>, 'body'>[],
): (Answer<O> | undefined)[] {
  return useQueries({
    queries: all.map((args) => ({
      queryKey: [operation, args],
      queryFn: ({ signal }: { signal: AbortSignal }) => call(operation, { ...args, signal }),
    })),
    combine: (answers) => answers.map(({ data }) => data),
  });
}

/**
 * Calls an operation that changes something, then reads everything on the page again. `leave` runs in between, so that
 * deleted records are not read again.
 */
export function useWrite(): <O extends Operation>(
  operation: O,
  args?: Args<O>,
  leave?: () => void,
) => Promise<Answer<O>> {
  const client = useQueryClient();
  const repeat = useRepeat();
  return async (operation, args = {}, leave) => {
    const answer = await repeat(operation, args, (sent) => call(operation, sent));
    leave?.();
    await client.invalidateQueries();
    return answer;
  };
}

/** Reads an answer that is a text, such as a file; null where there is none (404). */
export function useText<O extends Operation>(operation: O, args: Omit<Args<O>, 'body'>): Reading<string | null> {
  return useQuery<string | null>({
    queryKey: [operation, args, 'text'],
    queryFn: async ({ signal }) => {
      try {
        return await (await open(operation, { ...args, signal }, '*/*')).text();
      } catch (error) {
        if (error instanceof PosternError && error.status === 404) return null;
        throw error;
      }
    },
  });
}

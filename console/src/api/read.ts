/** Reading and writing from components: what is read is kept until something is written, then asked for again. */
import { QueryClient, type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query';
import { type Answer, ApiError, type Args, call, type Operation } from './client.ts';

export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      retry: (times, error) => times < 2 && error instanceof ApiError && (error.status === 503 || error.status === 0),
      refetchOnWindowFocus: true,
    },
  },
});

export interface ReadOptions {
  enabled?: boolean;
  /** Keep showing the last answer while another one is on its way. */
  keep?: boolean;
  everyMs?: number;
}

export type Reading<T> = UseQueryResult<T>;

export function useRead<O extends Operation>(
  operation: O,
  args: Omit<Args<O>, 'body'> = {},
  { enabled = true, keep = false, everyMs }: ReadOptions = {},
): Reading<Answer<O>> {
  return useQuery<Answer<O>>({
    queryKey: [operation, args],
    queryFn: ({ signal }) => call(operation, { ...args, signal } as Args<O>),
    enabled,
    ...(keep ? { placeholderData: (last: Answer<O> | undefined) => last as never } : {}),
    ...(everyMs === undefined ? {} : { refetchInterval: everyMs }),
  });
}

/**
 * Calls an operation that changes something; everything on the page is read again after it. `leave` is called in between:
 * what is gone is not asked for any more.
 */
export function useWrite(): <O extends Operation>(
  operation: O,
  args?: Args<O>,
  leave?: () => void,
) => Promise<Answer<O>> {
  const client = useQueryClient();
  return async (operation, args, leave) => {
    const answer = await call(operation, args);
    leave?.();
    await client.invalidateQueries();
    return answer;
  };
}

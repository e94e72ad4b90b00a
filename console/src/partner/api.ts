/** The API of `/v1/me` with the token of a partner. */
import { QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { createContext, useContext } from 'react';
import { fillPath, queryText } from '../../../client/src/address.ts';
import { PosternError } from '../../../client/src/errors.ts';
import { connect } from '../../../client/src/transport.ts';
import type { Answer, Args, Operation } from '../api/client.ts';
import type { Reading } from '../api/read.ts';

type OwnOperation = Extract<Operation, `${string} /v1/me${string}`>;

export type Me = Answer<'GET /v1/me'>;
export type License = Me['licenses'][number];

export interface Connection {
  call<O extends OwnOperation>(operation: O, args?: Args<O>): Promise<Answer<O>>;
  /** Opens an answer as a file in the format `accept`. */
  open<O extends OwnOperation>(operation: O, args: Args<O>, accept: string): Promise<Response>;
}

/** Calls `onRefused` when the token is no longer accepted. */
export function openConnection(token: string, onRefused: (why: PosternError) => void): Connection {
  // A session of the console on the same origin must not be sent along.
  const omitting: typeof fetch = (input, init) => fetch(input, { ...init, credentials: 'omit' });
  const connection = connect({ key: token, timeoutMs: 60_000, fetch: omitting });
  const noticing = async <T>(answer: Promise<T>): Promise<T> => {
    try {
      return await answer;
    } catch (error) {
      if (isRefusal(error)) onRefused(error);
      throw error;
    }
  };
  return {
    async call(operation, args = {}) {
      const { body, path: _path, query: _query, ...options } = args;
      const { text } = await noticing(connection.send({ ...toRequest(operation, args), body }, options));
      return JSON.parse(text);
    },
    open: (operation, args, accept) => noticing(connection.open({ ...toRequest(operation, args), accept })),
  };
}

/** The token is wrong, revoked or expired, or its requester is suspended. */
export const isRefusal = (error: unknown): error is PosternError =>
  error instanceof PosternError && (error.status === 401 || error.code === 'requester_suspended');

function toRequest(operation: string, { path = {}, query = {} }: { path?: object; query?: object }) {
  const [method = '', template = ''] = operation.split(' ');
  const values = path as Record<string, string | number>;
  return { method, path: fillPath(template, (name) => values[name]) + queryText({ ...query }) };
}

export const queries = new QueryClient({
  defaultOptions: { queries: { staleTime: 5_000, retry: false, refetchOnWindowFocus: true } },
});

const ConnectionContext = createContext<Connection | undefined>(undefined);
export const ConnectionProvider = ConnectionContext.Provider;

export function useConnection(): Connection {
  const connection = useContext(ConnectionContext);
  if (connection === undefined) throw new Error('not signed in');
  return connection;
}

/** Shows the last answer while the next one loads. */
export function useOwn<O extends OwnOperation>(operation: O, args: Omit<Args<O>, 'body'> = {}): Reading<Answer<O>> {
  const { call } = useConnection();
  return useQuery<Answer<O>>({
    queryKey: [operation, args],
    queryFn: ({ signal }) => call(operation, { ...args, signal }),
    placeholderData: (last: Answer<O> | undefined) => last as never,
  });
}

/** Reads everything on the page again. */
export function useReadAgain(): () => Promise<void> {
  const client = useQueryClient();
  return () => client.invalidateQueries();
}

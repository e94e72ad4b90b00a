/** Reads and edits one kind of record by id: what the routes of every record have in common. */
import type { FastifyRequest } from 'fastify';
import type { Failure } from '../errors.ts';
import { requireMatch } from '../http/etag.ts';
import type { Committed } from '../http/reply.ts';
import type { Author, Edit } from './change.ts';
import type { Changes } from './changes.ts';

export interface Resource<R> {
  /** Throws `notFound`. */
  get(id: string): Promise<R>;
  /**
   * Plans on the current record, in the queue of its id. Throws `notFound`, precondition_failed and what `plan` throws.
   */
  edit(request: EditRequest, plan: (record: R) => Edit | Promise<Edit>): Promise<Committed>;
}

type EditRequest = Author & { params: { id: string }; headers: FastifyRequest['headers'] };

export interface ResourceDeps<R> {
  changes: Changes;
  find(id: string): Promise<R | undefined>;
  notFound(id: string): Failure;
  /** Compared with `If-Match`; without it, edits take none. */
  etag?(record: R): string;
}

export function resource<R>({ changes, find, notFound, etag }: ResourceDeps<R>): Resource<R> {
  async function get(id: string): Promise<R> {
    const record = await find(id);
    if (record === undefined) throw notFound(id);
    return record;
  }
  return {
    get,
    edit: (request, plan) =>
      changes.commit(request, request.params.id, async () => {
        const record = await get(request.params.id);
        if (etag !== undefined) requireMatch(request, etag(record));
        return plan(record);
      }),
  };
}

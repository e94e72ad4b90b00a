/**
 * Follows events as they happen. Promise: every event once, in order, from the first one received. A broken
 * connection is resumed where it ended, until the caller leaves the loop or the signal aborts.
 */
import { PosternError } from './errors.ts';
import { type Connection, pause } from './transport.ts';
import type { CallOptions, PosternEvent } from './types.ts';

const PAUSE_MS = 1_000;

export async function* follow(
  connection: Connection,
  path: string,
  options: CallOptions = {},
): AsyncGenerator<PosternEvent, void, undefined> {
  let last: string | undefined;
  for (;;) {
    try {
      const headers = { ...options.headers, ...(last === undefined ? {} : { 'last-event-id': last }) };
      const response = await connection.open(
        { method: 'GET', path, accept: 'text/event-stream' },
        { ...options, headers },
      );
      for await (const { id, data } of messagesOf(response)) {
        yield JSON.parse(data) as PosternEvent;
        last = id ?? last;
      }
    } catch (error) {
      if (options.signal?.aborted === true) throw options.signal.reason;
      // A refusal is final, unless the service is busy or shutting down.
      if (error instanceof PosternError && error.status !== 503) throw error;
    }
    await pause(PAUSE_MS * (0.5 + Math.random()), options.signal);
  }
}

interface Message {
  id: string | undefined;
  data: string;
}

/** Server-sent events (WHATWG HTML, 9.2.6), as far as Postern uses them. */
async function* messagesOf({ body }: Response): AsyncGenerator<Message, void, undefined> {
  if (body === null) return;
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      text += decoder.decode(value, { stream: true });
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        const message = messageOf(block);
        if (message !== undefined) yield message;
      }
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

function messageOf(block: string): Message | undefined {
  let id: string | undefined;
  const data: string[] = [];
  for (const line of block.split('\n')) {
    const [, field, value = ''] = /^(\w+): ?(.*)$/.exec(line) ?? [];
    if (field === 'id') id = value;
    if (field === 'data') data.push(value);
  }
  return data.length === 0 ? undefined : { id, data: data.join('\n') };
}

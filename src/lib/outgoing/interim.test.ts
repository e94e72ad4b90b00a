/** Servers that send interim answers (1xx) without being asked, in every cut of their octets. */
import assert from 'node:assert/strict';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { test } from 'node:test';
import { openSender, type SendOutcome } from '../../api/webhooks/send.ts';
import { openGetter } from './get.ts';

const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';
const final = (body: string, head = ''): string =>
  `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n${head}\r\n${body}`;

/** Answers each request with what `answer` sends. */
async function serve(answer: (socket: Socket, request: number) => void) {
  let requests = 0;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
    let text = '';
    socket.setNoDelay(true).on('data', (chunk) => {
      text += chunk;
      const [head = '', body = null] = text.split('\r\n\r\n');
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
      if (body === null || body.length < length) return;
      text = '';
      answer(socket, requests++);
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((closed) => server.close(closed));
    },
  };
}

async function post(url: string, times = 1) {
  const sender = openSender({ allowPrivate: true });
  const outcomes: SendOutcome[] = [];
  for (let i = 0; i < times; i++) {
    outcomes.push(
      await sender.post(url, { 'content-type': 'text/plain' }, 'x'.repeat(100), AbortSignal.timeout(5_000)),
    );
  }
  await sender.close();
  return outcomes;
}

async function sendPieces(socket: Socket, text: string, size: number): Promise<void> {
  for (let at = 0; at < text.length; at += size) {
    await new Promise<unknown>((written) => socket.write(text.slice(at, at + size), written));
  }
}

const ANSWERS: Record<string, string> = {
  'one 100': CONTINUE + final('done'),
  'several 100': CONTINUE.repeat(5) + final('done'),
  '100 with headers': `HTTP/1.1 100 Continue\r\nServer: x\r\nX-A: b\r\n\r\n${final('done')}`,
  '100 without a phrase, in HTTP/1.0': `HTTP/1.0 100\r\n\r\n${final('done')}`,
  '102': `HTTP/1.1 102 Processing\r\n\r\n${final('done')}`,
  'early hints': `HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n${final('done')}`,
  'a mixture': `${CONTINUE}HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n${CONTINUE}HTTP/1.1 102 P\r\n\r\n${final('done')}`,
  'an answer that looks like one': final('done HTTP/1.1 100 Continue\r\n\r\n'),
  'a body that begins like one': final('HTTP/1.1 100 Continue\r\n\r\ndone'),
};

for (const [name, text] of Object.entries(ANSWERS)) {
  test(`${name}: a webhook is delivered, a document fetched`, async () => {
    const body = text.slice(text.indexOf('\r\n\r\n', text.indexOf('200 OK')) + 4);
    for (const size of [text.length, 1, 7]) {
      await using server = await serve((socket) => void sendPieces(socket, text, size));
      for (const outcome of await post(server.url, 2)) {
        assert.deepEqual([outcome.error, outcome.statusCode, outcome.responseBody], [null, 200, body], `${size}`);
      }
      const getter = openGetter({ userAgent: 'Postern/test', allowPrivate: true });
      const fetched = await getter.get(server.url, { accept: '*/*', maxBytes: 1024, timeoutMs: 5_000 });
      assert.ok(fetched.error === undefined);
      assert.equal(fetched.body.toString(), body);
      await getter.close();
    }
  });
}

test('an interim answer before the body was sent, and a refusal after it', async () => {
  await using server = await serve((socket, i) => {
    socket.write(CONTINUE);
    socket.write(i === 0 ? 'HTTP/1.1 503 Busy\r\nRetry-After: 7\r\nContent-Length: 0\r\n\r\n' : final('done'));
  });
  const [first, second] = await post(server.url, 2);
  assert.deepEqual([first?.statusCode, first?.retryAfter, second?.statusCode], [503, '7', 200]);
});

test('what is no answer stays a failure: only 100, a part of one, a long one, 101', async () => {
  const failing: Record<string, string> = {
    'only 100': CONTINUE,
    'a part': 'HTTP/1.1 100 Cont',
    'no head': 'HTTP/1.1 100 Continue\r\nX: y',
    'a long head': `HTTP/1.1 100 Continue\r\nX: ${'y'.repeat(40_000)}\r\n\r\n${final('done')}`,
    'another protocol': 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n',
    nonsense: 'HTTP/1.1 1000 x\r\n\r\n',
  };
  for (const [name, text] of Object.entries(failing)) {
    await using server = await serve((socket) => void socket.end(text));
    const [outcome] = await post(server.url);
    assert.equal(outcome?.statusCode, null, name);
    assert.ok(outcome?.error !== null, name);
  }
});

test('a server that sends 100 for ever ends with the time for an answer', async () => {
  await using server = await serve((socket) => {
    const timer = setInterval(() => socket.write(CONTINUE), 5);
    socket.on('close', () => clearInterval(timer));
  });
  const getter = openGetter({ userAgent: 'Postern/test', allowPrivate: true });
  const fetched = await getter.get(server.url, { accept: '*/*', maxBytes: 1024, timeoutMs: 300 });
  assert.match(fetched.error ?? '', /No answer within 0.3 seconds/);
  await getter.close();
});

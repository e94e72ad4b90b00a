/** Fills the panels of the status page that are empty without other servers: lists, keys of agents, false names. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestService } from '../../../kit/service.ts';
import { newSigningKey } from '../../../kit/signing.ts';
import { until } from '../../../kit/until.ts';
import { allowAll, made, makeItem } from '../../http/given.ts';

export interface Proofs extends AsyncDisposable {
  url: string;
}

/** Serves a list and keys at long addresses, and 503 at others; and waits until the status has all of them. */
export async function fillProofs(postern: TestService): Promise<Proofs> {
  const { jwk } = newSigningKey();
  const answers: Record<string, string> = {
    [`/${'long-path/'.repeat(15)}list.txt`]: '203.0.113.0/24\n198.51.100.0/24\n',
    '/.well-known/http-message-signatures-directory': JSON.stringify({ keys: [jwk] }),
  };
  const server = createServer((request, response) => {
    const text = answers[request.url ?? ''];
    response.writeHead(text === undefined ? 503 : 200, { 'content-type': 'application/json' }).end(text);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const [list = ''] = Object.keys(answers);
  const identities = (...given: object[]) => ({ identities: given });
  await made(postern, '/v1/requesters', {
    id: 'listed',
    userAgents: ['ListedBot'],
    ...identities({ kind: 'ip', list: url + list }, { kind: 'signature', agent: url }),
  });
  const missing = identities(
    { kind: 'ip', list: `${url}/gone` },
    { kind: 'signature', agent: `${url}/keys-that-are-gone` },
  );
  await made(postern, '/v1/requesters', { id: 'unlisted', ...missing });
  const { id: contentId } = await makeItem(postern, [allowAll]);
  await until('the list and the keys are fetched, and a name is falsely claimed', async () => {
    const context = { ip: '192.0.2.1', userAgent: 'ListedBot/1.0' };
    await made(postern, '/v1/access/check', { contentId, requesterId: 'listed', context }, 200);
    const { lists, directories, spoofed } = (await postern.call('GET', '/v1/status')).body.visitors;
    const [one, other] = [lists.data, directories.data].map((all) =>
      all.every(({ fresh, state, failures }: Fetching) => fresh === true || state === 'fresh' || failures > 0),
    );
    return lists.count === 2 && directories.count === 2 && one && other && spoofed?.length > 0;
  });
  return {
    url,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

interface Fetching {
  fresh?: boolean;
  state?: string;
  failures: number;
}

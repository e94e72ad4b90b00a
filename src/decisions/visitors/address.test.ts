/** The proof of a crawler verifies a requester only if the crawler's own name is the requester's. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Ask } from '../check/ask.ts';
import { judgeAddresses } from './address.ts';

/** GPTBot publishes its addresses; the requesters here have no identities of their own. */
const identities = {
  hasIdentities: () => false,
  proofsOf: () => [],
  identify: ({ crawler, address }: { crawler?: string | null; address: string }) => {
    if (crawler !== 'GPTBot') return { verified: null, failed: false } as const;
    return address === '192.0.2.1' ? ({ verified: 'ip', failed: false } as const) : { verified: null, failed: true };
  },
};
const NAMES = new Map([
  ['acme', /AcmeBot/],
  ['openai', /GPTBot/],
]);
const visitors = {
  claims: (userAgent: string, id: string) => NAMES.get(id)?.test(userAgent) === true,
  named: () => undefined,
};

async function judged(requesterId: string, userAgent: string, ip: string) {
  const asks = await judgeAddresses({ identities, visitors }, [{ requesterId, context: { ip, userAgent } }]);
  const [{ requesterId: after, context, claimed }] = asks as [Ask];
  return { requesterId: after, verified: context?.verified ?? null, claimed };
}

test('a crawler registered by hand is verified by the addresses of the directory', async () => {
  assert.deepEqual(await judged('openai', 'GPTBot/1.2', '192.0.2.1'), {
    requesterId: 'openai',
    verified: 'ip',
    claimed: undefined,
  });
  assert.deepEqual(await judged('openai', 'GPTBot/1.2', '192.0.2.9'), {
    requesterId: undefined,
    verified: null,
    claimed: 'openai',
  });
});

test('the address of a crawler proves and refutes nothing about another name beside it', async () => {
  for (const ip of ['192.0.2.1', '192.0.2.9']) {
    assert.deepEqual(await judged('acme', 'AcmeBot/1 GPTBot/1.2', ip), {
      requesterId: 'acme',
      verified: null,
      claimed: undefined,
    });
  }
});

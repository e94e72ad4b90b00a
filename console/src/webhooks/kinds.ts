/** The kinds of event that a webhook can receive. */
export const KINDS = [
  { group: 'Everything', items: [{ value: '*', label: 'Everything' }] },
  { group: 'Decisions', items: [...of('access', ['*', 'granted', 'denied', 'rate_limited'])] },
  { group: 'Content', items: [...of('content', ['*', 'created', 'updated', 'archived', 'restored', 'deleted'])] },
  { group: 'Collections', items: [...of('collection', ['*', 'created', 'updated', 'deleted'])] },
  { group: 'Policies', items: [...of('policy', ['*', 'created', 'updated', 'rolled_back', 'deleted'])] },
  { group: 'Requesters', items: [...of('requester', ['*', 'created', 'updated', 'deleted'])] },
  {
    group: 'Licenses',
    items: [
      ...of('license', [
        '*',
        'created',
        'updated',
        'revoked',
        'expiring',
        'expired',
        'threshold_reached',
        'quota_exceeded',
      ]),
    ],
  },
  { group: 'API keys', items: [...of('api_key', ['*', 'created', 'rotated', 'revoked'])] },
];

function of(name: string, kinds: readonly string[]): { value: string; label: string }[] {
  return kinds.map((kind) => ({ value: `${name}.${kind}`, label: `${name}.${kind}` }));
}

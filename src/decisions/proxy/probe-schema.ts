/** Probes of a proxy on the wire. */
import { type Static, Type } from 'typebox';
import { orNull, textOrNull } from '../../lib/nullable.ts';

export const Arrival = Type.Object(
  {
    method: textOrNull("The visitor's method, as the proxy names it; null without a header for it"),
    url: textOrNull("The visitor's URL without the mark; null for one that cannot be read"),
    address: textOrNull(
      "The visitor's address, or the start of what the proxy sent instead; null without `X-Forwarded-For` and `Forwarded`",
    ),
    signature: textOrNull('`Signature`'),
    signatureInput: textOrNull('`Signature-Input`'),
    signatureAgent: textOrNull('`Signature-Agent`'),
    userAgent: textOrNull('`User-Agent`'),
    authorization: textOrNull('`Authorization`'),
  },
  { title: 'ProxyArrival', description: 'The request of a probe, as its proxy passed it on' },
);
export type Arrival = Static<typeof Arrival>;

export const CreateProbe = Type.Object(
  {
    host: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 260,
        format: 'plain-text',
        description: 'The host of the site, with a port other than that of its scheme; adds `adapterProof`',
      }),
    ),
  },
  { additionalProperties: false, title: 'CreateProxyProbe' },
);

export const ProbeAnswer = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal('proxy_probe'),
    mark: Type.String({ description: 'Text to add to the query of a URL of the site' }),
    adapterProof: textOrNull(
      'The `proof` for `/.well-known/postern?proof=…`, where an adapter at the edge says how it is set up. It counts for the host and for five minutes, and for adapters with the key of this request; all keys count if it holds `api_keys:manage`. null without `host`, and when the probe is read',
    ),
    expires: Type.String(),
    arrived: orNull(Arrival),
    created: Type.String(),
    updated: Type.String(),
  },
  { title: 'ProxyProbe', description: 'Finds out what a proxy passes on of a request' },
);

/** Ways to verify that a visitor is who it claims to be: its address, the host name of its address, its signature. */
import { type Static, Type } from 'typebox';

const url = (description: string) => Type.String({ format: 'http-url', maxLength: 2048, description });

const suffix = Type.String({
  pattern: '^(?=.{4,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)+$',
  expected:
    'must be the end of a host name in lowercase, with a dot and without one at its ends, such as crawl.example.com',
});

const strict = { additionalProperties: false } as const;

const RANGES_MAX = 1000;

export const identity = Type.Union(
  [
    Type.Object(
      {
        kind: Type.Literal('ip'),
        ranges: Type.Array(Type.String({ format: 'ip-range', maxLength: 64 }), {
          minItems: 1,
          maxItems: RANGES_MAX,
          description: 'Its addresses and ranges',
        }),
      },
      strict,
    ),
    Type.Object({ kind: Type.Literal('ip'), list: url('The address of a published list of its ranges') }, strict),
    Type.Object(
      {
        kind: Type.Literal('dns'),
        suffixes: Type.Array(suffix, {
          minItems: 1,
          maxItems: 50,
          description: 'Ends of the host names of its addresses, on label boundaries',
        }),
      },
      strict,
    ),
    Type.Object({ kind: Type.Literal('signature'), agent: url('Its signature agent') }, strict),
  ],
  { title: 'Identity', description: 'A way to verify that a visitor is who it claims to be' },
);
export type Identity = Static<typeof identity>;

export const identities = Type.Array(identity, {
  maxItems: 20,
  description: `How a visitor that uses its name is verified; at most ${RANGES_MAX} ranges together`,
});

/** Returns a problem of identities that their schema cannot express, and its place. */
export function findIdentityFault(
  all: readonly Identity[],
  findUrlFault: (url: string) => string | undefined,
): { param: string; message: string } | undefined {
  const ranges = all.reduce((sum, one) => sum + ('ranges' in one ? one.ranges.length : 0), 0);
  if (ranges > RANGES_MAX) {
    const message = `\`identities\` may have ${RANGES_MAX} ranges together; these have ${ranges}. Publish a list instead.`;
    return { param: 'identities', message };
  }
  for (const [place, one] of all.entries()) {
    const [name, text] = 'list' in one ? ['list', one.list] : 'agent' in one ? ['agent', one.agent] : [];
    const fault = text === undefined ? undefined : findUrlFault(text);
    if (fault === undefined) continue;
    const param = `identities[${place}].${name}`;
    return { param, message: `\`${param}\` ${fault}.` };
  }
  return undefined;
}

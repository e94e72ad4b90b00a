/**
 * Runs Cerbos with the same policy as TEN_RULES, over HTTP, with its decision log in a file. It has no catalog: a
 * request carries the item's attributes. In Cerbos a denial always wins; TEN_RULES begin with denials, so both decide
 * alike.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { freePort } from '../../kit/port.ts';
import type { CheckRequest } from '../../src/access/schema.ts';
import type { Item } from '../inputs.ts';
import { launch, type Running } from '../process.ts';

export const CERBOS_PATH = '/api/check/resources';

/** The binary: BENCH_CERBOS, or the npm package that exists for linux-x64 only; undefined without either. */
export function findCerbos(): string | undefined {
  if (process.env.BENCH_CERBOS !== undefined) return process.env.BENCH_CERBOS;
  try {
    return createRequire(import.meta.url).resolve('@cerbos/cerbos-linux-x64');
  } catch {
    return undefined;
  }
}

export async function startCerbos(binary: string, dir: string, core: number | null): Promise<Running> {
  const [port, grpcPort] = [await freePort(), await freePort()];
  mkdirSync(join(dir, 'policies'), { recursive: true });
  writeFileSync(join(dir, 'policies', 'content.yaml'), POLICY);
  writeFileSync(join(dir, 'cerbos.yaml'), configOf(dir, port, grpcPort));
  return launch({
    command: binary,
    args: ['server', '--log-level=error', `--config=${join(dir, 'cerbos.yaml')}`],
    env: { CERBOS_NO_TELEMETRY: '1' },
    port,
    readyPath: '/_cerbos/health',
    core,
  });
}

export function cerbosRequest(check: CheckRequest, item: Item): string {
  const { requesterId, purpose, context } = check;
  return JSON.stringify({
    principal: {
      id: requesterId,
      roles: ['requester'],
      attr: { purpose, userAgent: context?.userAgent, country: context?.country },
    },
    resources: [
      {
        actions: ['access'],
        resource: { kind: 'content', id: check.contentId, attr: { type: item.type, tags: item.tags } },
      },
    ],
  });
}

export function isAllowedByCerbos(answer: { results: { actions: { access: string } }[] }): boolean {
  return answer.results[0]?.actions.access === 'EFFECT_ALLOW';
}

const configOf = (dir: string, port: number, grpcPort: number): string => `server:
  httpListenAddr: "127.0.0.1:${port}"
  grpcListenAddr: "127.0.0.1:${grpcPort}"
telemetry:
  disabled: true
storage:
  driver: disk
  disk:
    directory: "${join(dir, 'policies')}"
    watchForChanges: false
audit:
  enabled: true
  accessLogsEnabled: false
  decisionLogsEnabled: true
  backend: file
  file:
    path: "${join(dir, 'decisions.log')}"
`;

const rule = (effect: 'ALLOW' | 'DENY', expression: string): string => `    - actions: ["access"]
      effect: EFFECT_${effect}
      roles: ["requester"]
      condition:
        match:
          expr: >-
            ${expression}
`;

const PARTNERS = `P.id in ["partner_0001", "partner_0002", "partner_0003", "partner_0004", "partner_0005"]`;

/** The tenth rule, deny for the rest, is what Cerbos does without a rule. */
const POLICY = `apiVersion: api.cerbos.dev/v1
resourcePolicy:
  resource: content
  version: default
  rules:
${[
  rule('DENY', '["bytespider", "petalbot", "semrushbot"].exists(name, P.attr.userAgent.lowerAscii().contains(name))'),
  rule('DENY', 'P.attr.country in ["KP", "IR"]'),
  rule('DENY', '"embargoed" in R.attr.tags'),
  rule('DENY', `P.attr.purpose in ["training", "fine_tuning"] && !(${PARTNERS})`),
  rule('DENY', 'R.attr.type == "dataset" && !(P.attr.purpose in ["research", "search_indexing"])'),
  rule('ALLOW', PARTNERS),
  rule('ALLOW', 'P.attr.purpose == "search_indexing"'),
  rule('ALLOW', '"open" in R.attr.tags'),
  rule('ALLOW', 'P.attr.purpose == "research" && R.attr.type in ["report", "dataset"]'),
].join('')}`;

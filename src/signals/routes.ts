/** Reads the signals of a site, one route for each kind, and the report about them. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import { fail } from '../api/errors.ts';
import type { App } from '../api/http/app.ts';
import { isUnchanged, isUnmodified, NotModified } from '../api/http/etag.ts';
import { sendText } from '../api/http/reply.ts';
import { route } from '../api/http/route.ts';
import { requireHost } from '../api/http/target.ts';
import type { Db } from '../db/db.ts';
import type { RobotsReads } from '../decisions/visitors/robots-reads.ts';
import { type Clock, parseIso } from '../lib/clock.ts';
import { contradictionsIn } from './formats/contradictions.ts';
import { SIGNAL_KINDS, SIGNALS, type Signal, type SignalKind } from './formats/kinds.ts';
import { tdmPolicyUrl } from './formats/tdmrep.ts';
import { toReport } from './report.ts';
import { ReportQuery, SignalQuery, SignalsReport, TdmPolicyQuery } from './schema.ts';
import { type File, type Signals, toFile } from './signals.ts';
import { findServed } from './store.ts';

export interface SignalRouteDeps {
  db: Db;
  clock: Clock;
  signals: Signals;
  robotsReads: Pick<RobotsReads, 'note'>;
}

export function signalRoutes(app: App, deps: SignalRouteDeps): void {
  const { signals } = deps;
  const openTo = (request: FastifyRequest): boolean | Promise<boolean> =>
    signals.isPublic(requireHost((request.params as { host: string }).host));
  for (const kind of SIGNAL_KINDS) {
    const signal: Signal = SIGNALS[kind];
    const operation = {
      tag: 'Sites',
      permission: 'policies:read',
      openTo,
      id: toOperationId(kind),
      is: `Read ${kind} of a site`,
      query: kind === 'tdm-policy' ? TdmPolicyQuery : SignalQuery,
      answers: { 200: Type.Unknown({ description: signal.doc }), 304: NotModified },
      media: signal.type.split(';', 1)[0] as string,
      // Crawlers fetch these more often than anything else that needs no key.
      atOnce(request: FastifyRequest, reply: FastifyReply): boolean {
        if (request.url.includes('?')) return false;
        const now = deps.clock.now();
        const file = signals.publicFile((request.params as { host: string }).host, kind, now);
        if (kind === 'robots.txt') deps.robotsReads.note(request.headers['user-agent']);
        if (file !== undefined) sendFile(request, reply, { file, now });
        return file !== undefined;
      },
    } as const;
    route(app, `GET /v1/sites/:host/signals/${kind}`, operation, async (request, reply) => {
      const host = requireHost(request.params.host);
      const { asOf, collectionId } = request.query as Static<typeof TdmPolicyQuery>;
      const file = asOf === undefined ? await fileNow(signals, host, kind) : await fileAt(deps, { host, kind, asOf });
      return sendFile(request, reply, {
        file: collectionId === undefined ? file : policyIn(file, host, collectionId),
        now: deps.clock.now(),
      });
    });
  }

  const report = {
    tag: 'Sites',
    permission: 'policies:read',
    id: 'getSignalsReport',
    is: 'Read what the signals of a site say',
    query: ReportQuery,
    answer: SignalsReport,
  } as const;
  route(app, 'GET /v1/sites/:host/signals/report', report, async ({ params, query }) => {
    const published = await signals.read(requireHost(params.host));
    return toReport(published, await contradictionsIn(published), query);
  });
}

/** `getRobotsTxtSignal` */
const toOperationId = (kind: SignalKind): string =>
  `get${kind
    .split(/\W/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')}Signal`;

async function fileNow(signals: Signals, host: string, kind: SignalKind): Promise<File> {
  const { files } = signals.now(host) ?? (await signals.read(host));
  const file = files[kind];
  if (typeof file === 'string') throw fail('signal_not_found', file);
  return file;
}

/** Throws invalid_request for a future time. */
async function fileAt(
  { db, clock }: SignalRouteDeps,
  { host, kind, asOf }: { host: string; kind: SignalKind; asOf: string },
): Promise<File> {
  const at = parseIso(asOf) as number;
  if (at > clock.now()) throw fail('invalid_request', '`asOf` must not be in the future.', { param: 'asOf' });
  const served = await findServed(db, { host, kind, at });
  if (served?.body == null) throw fail('signal_not_found', `At that time, no ${kind} was served for ${host}.`);
  const signal: Signal = SIGNALS[kind];
  return toFile(served.body, signal.type, served.at);
}

/** Throws signal_not_found for a collection without a policy. */
function policyIn(file: File, host: string, collectionId: string): File {
  const uid = tdmPolicyUrl(host, collectionId);
  const policy = (JSON.parse(file.body) as { uid: string }[]).find((one) => one.uid === uid);
  if (policy === undefined) throw fail('signal_not_found', `Nothing of the collection ${collectionId} is reserved.`);
  return toFile(`${JSON.stringify(policy, null, 1)}\n`, file.type, file.modifiedAt);
}

function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  { file, now }: { file: File; now: number },
): FastifyReply {
  const hasTag = isUnchanged(request, reply, file.etag);
  const unchanged = isUnmodified(request, reply, { modified: file.modified, now }) || hasTag;
  reply.header('cache-control', 'no-cache');
  return unchanged ? reply.send() : sendText(reply, file.type, file.body);
}

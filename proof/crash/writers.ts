/**
 * Sixty-four writers edit the same policies while the service is killed and restarted. After every start the history is
 * read over the API: no version is missing or duplicated, every acknowledged edit has its version, each version holds
 * exactly its writer's rules, and an edit repeated with its idempotency key was made once.
 */
import assert from 'node:assert/strict';
import type { Answer } from '../../kit/answer.ts';
import { launched, newTestKey, type Running, temporaryFolder } from '../../kit/launch.ts';
import { type Random, seeded } from '../../kit/random.ts';

export interface WriterOptions {
  kills: number;
  seed: number;
  writers?: number;
  policies?: number;
  /** The service to write to and kill; by default one process with a folder of its own. */
  start?: () => Promise<Service>;
  tell?: (line: string) => void;
}

export interface WriterFigures {
  kills: number;
  acknowledged: number;
  /** Without an answer, and there afterwards. */
  unknownKept: number;
  /** Without an answer, and not there. */
  unknownLost: number;
  /** Sent again under the same idempotency key after a kill. */
  repeated: number;
  conflicts: number;
  versions: number;
}

/** A process, or several that form one service: `end` kills the ones to be killed. */
export type Service = Pick<Running, 'ask' | 'output' | 'end'>;

const POLICIES = 3;
const LOAD_MAX_MS = 400;

/** The contents of a version besides its number and times. */
interface Content {
  name: string;
  description: string | null;
  rules: unknown[];
  defaultAction: string;
}

interface Edit {
  policy: Policy;
  /** From the answer; null while unknown. */
  version: number | null;
}
interface Patch extends Edit {
  kind: 'patch';
  content: Content;
  idempotencyKey: string | undefined;
  ifMatch: string | undefined;
}
interface Rollback extends Edit {
  kind: 'rollback';
  to: number;
}

interface Policy {
  id: string;
  /** Every version that was read, by number. */
  read: Map<number, string>;
  /** By token, which is the description. */
  patches: Map<string, Patch>;
  rollbacks: Rollback[];
  newest: number;
}

export async function runWriters({
  kills,
  seed,
  writers = 64,
  policies: policyCount = POLICIES,
  start: given,
  tell = () => {},
}: WriterOptions): Promise<WriterFigures> {
  const random = seeded(seed);
  using folder = temporaryFolder();
  const key = newTestKey();
  const start = given ?? ((): Promise<Service> => launched({ dataDir: folder.path, key }));
  const figures: WriterFigures = {
    kills: 0,
    acknowledged: 0,
    unknownKept: 0,
    unknownLost: 0,
    repeated: 0,
    conflicts: 0,
    versions: 0,
  };
  let service = await start();
  try {
    const policies: Policy[] = [];
    for (let i = 0; i < policyCount; i++) policies.push(await createPolicy(service, i));
    while (figures.kills < kills) {
      const open = await editUntilKilled(service, policies, random, writers, figures);
      figures.kills++;
      service = await start();
      // Some of those that were never answered are sent again, as a client would.
      for (const patch of open) {
        if (patch.idempotencyKey === undefined || random.chance(0.3)) continue;
        await send(service, patch, figures);
        figures.repeated++;
      }
      for (const policy of policies) await verify(service, policy, figures.kills === kills);
      if (figures.kills % 10 === 0) tell(`${figures.kills} kills, ${figures.acknowledged} edits acknowledged`);
    }
    for (const policy of policies) {
      figures.versions += policy.read.size;
      const kept = new Set(policy.read.values());
      for (const patch of policy.patches.values()) {
        if (patch.version !== null) continue;
        if (kept.has(textOf(patch.content))) figures.unknownKept++;
        else figures.unknownLost++;
      }
    }
    return figures;
  } catch (error) {
    throw new Error(
      `with seed ${seed}, after ${figures.kills} kills: ${(error as Error).message}\n${service.output().slice(-2000)}`,
      { cause: error },
    );
  } finally {
    await service.end('SIGKILL');
  }
}

async function createPolicy(service: Service, i: number): Promise<Policy> {
  const content = contentOf(`first ${i}`);
  const reply = await service.ask('POST', '/v1/policies', { body: content });
  assert.equal(reply.status, 201, reply.text);
  const policy: Policy = { id: reply.body.id, read: new Map(), patches: new Map(), rollbacks: [], newest: 1 };
  const first: Patch = { kind: 'patch', policy, version: 1, content, idempotencyKey: undefined, ifMatch: undefined };
  policy.patches.set(`first ${i}`, first);
  return policy;
}

/** Rules that carry their writer's mark everywhere, so that a mixture of two edits shows. */
function contentOf(token: string): Content {
  return {
    name: `Named by ${token}`,
    description: token,
    rules: [...token].slice(-5).map((letter, i) => ({
      action: i % 2 === 0 ? 'allow' : 'deny',
      priority: i,
      conditions: { purpose: [token, letter] },
      message: token,
    })),
    defaultAction: token.length % 2 === 0 ? 'allow' : 'deny',
  };
}

const textOf = ({ name, description, rules, defaultAction }: Content): string =>
  JSON.stringify({ name, description, rules, defaultAction });

/** Gives the edits that were not answered. */
async function editUntilKilled(
  service: Service,
  policies: readonly Policy[],
  random: Random,
  writers: number,
  figures: WriterFigures,
): Promise<Patch[]> {
  const round = figures.kills;
  const open: Patch[] = [];
  let over = false;
  const goal = figures.acknowledged + random.int(1, 300);
  let killing: Promise<unknown> | undefined;
  const kill = (): void => {
    over = true;
    killing ??= service.end('SIGKILL');
  };
  // Half of the kills at a random time, half in the turn in which an edit was acknowledged.
  const atAnswer = random.chance(0.5);
  const timer = setTimeout(kill, atAnswer ? 10 * LOAD_MAX_MS : random.int(0, LOAD_MAX_MS));
  const write = async (writer: number, own: Random): Promise<void> => {
    for (let made = 0; !over; made++) {
      const edit = nextEdit(own.pick(policies), `${round}.${writer}.${made}`, own);
      if (edit.kind === 'patch') open.push(edit);
      const answered = await send(service, edit, figures).catch((error: unknown) => {
        if (error instanceof assert.AssertionError) throw error;
        return false;
      });
      if (!answered) return;
      if (edit.kind === 'patch') open.splice(open.indexOf(edit), 1);
      if (atAnswer && figures.acknowledged >= goal) kill();
    }
  };
  await Promise.all(Array.from({ length: writers }, (_, i) => write(i, seeded(random.int(0, 2 ** 31)))));
  clearTimeout(timer);
  kill();
  await killing;
  return open;
}

function nextEdit(policy: Policy, token: string, random: Random): Patch | Rollback {
  if (random.chance(0.1)) {
    const edit: Rollback = { kind: 'rollback', policy, version: null, to: random.int(1, policy.newest) };
    policy.rollbacks.push(edit);
    return edit;
  }
  const patch: Patch = {
    kind: 'patch',
    policy,
    version: null,
    content: contentOf(token),
    idempotencyKey: random.chance(0.5) ? `edit ${token}` : undefined,
    ifMatch: random.chance(0.1) ? `"${policy.newest}"` : undefined,
  };
  policy.patches.set(token, patch);
  return patch;
}

/** Settles once the answer was taken down. Rejects when the connection breaks. */
async function send(service: Service, edit: Patch | Rollback, figures: WriterFigures): Promise<boolean> {
  const { policy } = edit;
  let reply: Answer;
  if (edit.kind === 'rollback') {
    reply = await service.ask('POST', `/v1/policies/${policy.id}/rollback`, { body: { version: edit.to } });
  } else {
    reply = await service.ask('PATCH', `/v1/policies/${policy.id}`, {
      body: edit.content,
      idempotencyKey: edit.idempotencyKey,
      ...(edit.ifMatch === undefined ? {} : { headers: { 'if-match': edit.ifMatch } }),
    });
    if (reply.status === 412) {
      // Refused: it must never be seen.
      assert.notEqual(edit.ifMatch, undefined);
      policy.patches.delete(edit.content.description ?? '');
      figures.conflicts++;
      return true;
    }
  }
  // Just before it exits it may respond that it is shutting down.
  if (reply.status === 503) return false;
  assert.equal(reply.status, 200, reply.text);
  edit.version = reply.body.version as number;
  policy.newest = Math.max(policy.newest, edit.version);
  figures.acknowledged++;
  return true;
}

/** Reads the versions that were not read yet, or all of them, and compares them with what was sent. */
async function verify(service: Service, policy: Policy, all: boolean): Promise<void> {
  const now = await service.ask('GET', `/v1/policies/${policy.id}`);
  const known = all ? 0 : policy.read.size;
  const found: (Content & { version: number })[] = [];
  let query = 'limit=100';
  for (;;) {
    const { status, body, text } = await service.ask('GET', `/v1/policies/${policy.id}/versions?${query}`);
    assert.equal(status, 200, text);
    assert.equal(body.totalCount, now.body.version, 'as many versions as the number of the newest');
    found.push(...body.data);
    if (!body.hasMore || (found.at(-1)?.version ?? 0) <= known) break;
    query = `limit=100&cursor=${encodeURIComponent(body.nextCursor)}`;
  }
  for (const [i, { version }] of found.entries()) assert.equal(version, now.body.version - i, 'a gap or a duplicate');
  if (all) assert.equal(found.at(-1)?.version, 1);
  for (const one of found) {
    const text = textOf(one);
    assert.equal(policy.read.get(one.version) ?? text, text, `version ${one.version} is not what it was`);
    policy.read.set(one.version, text);
  }
  policy.newest = now.body.version;
  assert.equal(policy.read.size, now.body.version);
  assert.equal(policy.read.get(now.body.version), textOf(now.body), 'the policy is its newest version');
  assertHistory(policy);
}

/** Every version was requested, and every acknowledged edit has the version of its answer. */
function assertHistory({ read, patches, rollbacks }: Policy): void {
  const told = new Map<number, Edit>();
  for (const edit of [...patches.values(), ...rollbacks]) {
    if (edit.version === null) continue;
    assert.ok(!told.has(edit.version), `version ${edit.version} was told twice`);
    told.set(edit.version, edit);
  }
  const seen = new Set<string>();
  const open = rollbacks.filter(({ version }) => version === null).map(({ to }) => to);
  for (let version = 1; version <= read.size; version++) {
    const text = read.get(version) as string;
    const { description } = JSON.parse(text) as Content;
    const edit = told.get(version) as Patch | Rollback | undefined;
    told.delete(version);
    if (edit?.kind === 'rollback') {
      assert.equal(text, read.get(edit.to), `version ${version} was told to be version ${edit.to} again`);
    } else if (seen.has(description ?? '')) {
      // A rollback without an answer.
      assert.equal(edit, undefined, `the edit ${description} made two versions`);
      const at = open.findIndex((to) => read.get(to) === text);
      assert.ok(at !== -1, `the edit ${description} made two versions`);
      open.splice(at, 1);
    } else {
      const patch = patches.get(description ?? '');
      assert.ok(patch !== undefined, `version ${version} is of nobody's making: ${description}`);
      assert.equal(text, textOf(patch.content), `version ${version} is not what was sent`);
      if (patch.version !== null) assert.equal(patch.version, version, `the acknowledged edit ${description}`);
      seen.add(description ?? '');
    }
  }
  assert.deepEqual([...told.keys()], [], 'acknowledged, and not there');
}

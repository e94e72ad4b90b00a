/** Identities on records of their own, with servers of this machine for lists and names. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { databaseSettings, dropDatabase, testClock } from '../../kit/service.ts';
import { SYSTEM } from '../../src/api/changes/change.ts';
import { openChanges } from '../../src/api/changes/changes.ts';
import { planBudget } from '../../src/lib/memory.ts';
import { openGetter } from '../../src/lib/outgoing/get.ts';
import { newRequester, planCreate, planDelete, planUpdate } from '../../src/requesters/edits.ts';
import { type Identities, openIdentities } from '../../src/requesters/identities/identities.ts';
import { findRequester } from '../../src/requesters/store.ts';
import type { Identity } from '../../src/rules/crawlers/identity.ts';
import { readConfig } from '../../src/service/config.ts';
import { openRecords } from '../../src/service/records.ts';

interface OpenedOptions {
  dnsServers?: readonly string[];
  directoryLists?: boolean;
  isOurs?: () => boolean;
}

/** Opens records and identities; `reopen` starts the identities again on the same records. */
export async function openWithIdentities(options: OpenedOptions = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'postern-identities-'));
  const config = readConfig({ POSTERN_DATA_DIR: folder, ...(await databaseSettings(folder)) });
  const clock = testClock();
  const { db } = await openRecords(config, clock, () => {}, planBudget(config.memoryMiB).storage);
  const changes = openChanges(db, clock);
  const problems: unknown[] = [];
  const open = (): Promise<Identities> =>
    openIdentities({
      db,
      changes,
      clock,
      getter: openGetter({ userAgent: 'Postern/test', allowPrivate: true }),
      directoryLists: options.directoryLists ?? false,
      isOurs: options.isOurs ?? (() => true),
      onProblem: (problem) => problems.push(problem),
      dnsServers: options.dnsServers,
    });
  let identities = await open();
  return {
    db,
    changes,
    clock,
    problems,
    get identities() {
      return identities;
    },
    async reopen() {
      await identities.close();
      identities = await open();
    },
    register: (id: string, claimed: Identity[]) =>
      changes.commit(SYSTEM, id, () => planCreate(db, newRequester({ id, identities: claimed }, clock.now()))),
    async edit(id: string, claimed: Identity[]) {
      const before = await found(id);
      await changes.commit(SYSTEM, id, async () => planUpdate(before, { identities: claimed }, clock.now()));
    },
    async remove(id: string) {
      const before = await found(id);
      await changes.commit(SYSTEM, id, () => planDelete(db, before, clock.now()));
    },
    async [Symbol.asyncDispose]() {
      await identities.close();
      await db.close();
      await dropDatabase(folder);
      rmSync(folder, { recursive: true, force: true });
    },
  };

  async function found(id: string) {
    const requester = await findRequester(db, id);
    if (requester === undefined) throw new Error(`no requester ${id}`);
    return requester;
  }
}

/** Serves a list that the test may change; counts the requests. */
export async function serveList(first: string) {
  const list = { text: first, status: 200, requests: 0 };
  const listener: RequestListener = (_request, response) => {
    list.requests++;
    response.writeHead(list.status).end(list.text);
  };
  const server = createServer(listener);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return Object.assign(list, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/list`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  });
}

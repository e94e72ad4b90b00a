/** Publishes the demo's catalog and crawlers on a test's service. */
import { createPostern } from '../../../client/src/client.ts';
import { readCatalog } from '../../../demo/catalog.ts';
import { publish } from '../../../demo/publish.ts';
import { openTraffic } from '../../../demo/traffic.ts';
import { seeded } from '../../../kit/random.ts';
import type { TestService } from '../../../kit/service.ts';

const BATCH = 200;

/** Publishes some hundreds of items under the demo's policies, and sends the given number of checks. */
export async function fillWithDemo(
  { url, key }: TestService,
  { items, checks }: { items: number; checks: number },
): Promise<void> {
  const catalog = readCatalog(items);
  const postern = createPostern({ url, key });
  await publish(postern, catalog, new AbortController().signal);
  const traffic = openTraffic(catalog, seeded(6));
  for (let sent = 0; sent < checks; sent += BATCH) {
    await postern.checkAccessBatch({ checks: Array.from({ length: BATCH }, () => traffic.next(Date.now())) });
  }
}

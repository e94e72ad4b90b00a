/** The demo's catalogue and its crawlers on a service of a test. */
import { apiAt } from '../../demo/api.ts';
import { readCatalogue } from '../../demo/catalogue.ts';
import { publish } from '../../demo/publish.ts';
import { seeded } from '../../demo/random.ts';
import { trafficOn } from '../../demo/traffic.ts';
import type { TestService } from '../support/service.ts';

const AT_ONCE = 200;

/** Some hundreds of items under the demo's policies, and as many checks as are asked for. */
export async function fillWithDemo(
  postern: TestService,
  { items, checks }: { items: number; checks: number },
): Promise<void> {
  const catalogue = readCatalogue(items);
  const api = apiAt(postern.url, postern.key);
  try {
    await publish(api, catalogue, new AbortController().signal);
    const traffic = trafficOn(catalogue, Date.now(), seeded(6));
    for (let asked = 0; asked < checks; asked += AT_ONCE) {
      await api.send('POST', '/v1/access/check/batch', {
        checks: Array.from({ length: AT_ONCE }, () => traffic.ask(Date.now())),
      });
    }
  } finally {
    api.close();
  }
}

/**
 * Creates a key without the service, for when no key is left that may create one. A service on the same records accepts
 * the key at once, in a cluster within a second.
 */
import { lazyCheck, validItem } from '../../api/http/validate.ts';
import { newKey, planKey } from '../../api/keys/make.ts';
import { CreateKey } from '../../api/keys/schema.ts';
import { editOffline } from './offline.ts';

const isKey = lazyCheck(CreateKey);

/**
 * Creates a key in `records`, the folder of an installation or a PostgreSQL URL. Returns the answer of `POST
 * /v1/api-keys`. Throws CannotEdit, Unavailable, and Failure for a body that the API would refuse.
 */
export function makeKeyOffline(records: string, body: unknown): Promise<Record<string, unknown>> {
  const wanted = validItem(CreateKey, isKey, body, 'key');
  return editOffline(records, async (_db, now) => {
    const { key, text } = newKey(wanted, now);
    return planKey(key, text);
  });
}

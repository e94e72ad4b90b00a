/** Creates a sign-in link without a key: a process that can write the records may do everything with them. */
import { lazyCheck, validItem } from '../../api/http/validate.ts';
import { planLink } from '../../api/users/links.ts';
import { CreateLink } from '../../api/users/schema.ts';
import { editOffline } from './offline.ts';

const isLink = lazyCheck(CreateLink);

/**
 * Creates a link in `records`, the folder of an installation or a PostgreSQL URL. Returns the answer of `POST
 * /v1/users/links`. Throws CannotEdit, Unavailable, and Failure for a body that the API would refuse.
 */
export function makeLinkOffline(records: string, body: unknown): Promise<Record<string, unknown>> {
  const wanted = validItem(CreateLink, isLink, body, 'link');
  return editOffline(records, (db, now) => planLink({ db, now, holder: null }, wanted));
}

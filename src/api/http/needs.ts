/** Parts of an answer that need more of a key than the operation does. */
import { fail } from '../errors.ts';
import { type Caller, holdsPermission, isPublicKey, type Permission } from '../permissions.ts';

/** `what`: the part of the request that asks for more. Throws insufficient_permissions. */
export function requireAlso({ permissions, role }: Caller, permission: Permission, what: string): void {
  if (holdsPermission(permissions, permission)) return;
  const who = role === undefined ? 'This API key' : `The role ${role}`;
  const message = `${who} does not hold the permission ${permission}, which ${what} needs, too. Leave it out, or send a key that holds it.`;
  throw fail('insufficient_permissions', message);
}

/** Anybody may have a public key, so it shows nothing of partners. Throws insufficient_permissions. */
export function requireSecret(caller: Caller, wanted: Readonly<Record<string, unknown>>): void {
  if (!isPublicKey(caller)) return;
  const param = Object.keys(wanted).find((name) => wanted[name] !== undefined);
  if (param === undefined) return;
  const message = `The query parameter \`${param}\` is not for public keys, which see nothing of partners. Leave it out, or send a secret key.`;
  throw fail('insufficient_permissions', message, { param });
}

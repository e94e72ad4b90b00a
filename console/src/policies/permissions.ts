/** The permissions that checks name and rules grant, in the words of people. */
import { GRANTS } from '../../../src/rules/policy.ts';

/** Formats a permission such as `fine_tuning` for people; custom permissions stay as they are. */
export function permissionName(permission: string): string {
  if (permission === 'fine_tuning') return 'Fine-tuning';
  if (!(GRANTS as readonly string[]).includes(permission)) return permission;
  return permission.charAt(0).toUpperCase() + permission.slice(1).replaceAll('_', ' ');
}

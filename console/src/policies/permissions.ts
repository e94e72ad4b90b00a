/** The permissions that checks name and rules grant, in the words of people. */

export const PERMISSIONS = [
  'full_access',
  'preview_only',
  'metadata_only',
  'commercial_use',
  'training',
  'fine_tuning',
  'inference',
  'redistribution',
] as const;

/** Formats a permission such as `fine_tuning` for people; custom permissions stay as they are. */
export function permissionName(permission: string): string {
  if (permission === 'fine_tuning') return 'Fine-tuning';
  if (!(PERMISSIONS as readonly string[]).includes(permission)) return permission;
  return permission.charAt(0).toUpperCase() + permission.slice(1).replaceAll('_', ' ');
}

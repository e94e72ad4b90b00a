/** The person to write to at a partner, and the address of its bills. */
export const CONTACTS: readonly string[] = ['contact_name', 'email', 'billing_address'].map(
  (name) => `alter table requesters add column ${name} text`,
);

/** The sitemaps of a site, as a JSON array. */
export const SITEMAPS: readonly string[] = ["alter table sites add column sitemaps text not null default '[]'"];

/** The types of content. */
export const CONTENT_TYPES = ['article', 'report', 'image', 'dataset', 'video'] as const;
export type ContentType = (typeof CONTENT_TYPES)[number];

/** Searches on the wire (OpenID AuthZEN Authorization API 1.0). Unknown fields are ignored. */
import { type Static, type TSchema, Type } from 'typebox';
import { Action, Context, kind, OPEN, properties, Resource, Subject } from './schema.ts';

const Page = Type.Object(
  {
    token: Type.Optional(Type.String({ maxLength: 4096, description: '`next_token` of the page before' })),
    limit: Type.Optional(Type.Integer({ minimum: 0, description: 'Results per page, 100 by default, at most 1,000' })),
  },
  { ...OPEN, title: 'SearchPage' },
);

const more = { context: Type.Optional(Context), page: Type.Optional(Page) };

/** The entity that is searched for: an `id` is ignored. */
const searched = (title: string, description: string) =>
  Type.Object({ type: kind, properties }, { ...OPEN, title, description });

export const SubjectSearch = Type.Object(
  {
    subject: searched('SearchedSubject', '`type` is `requester` for all, or a type or tag of requesters'),
    action: Action,
    resource: Resource,
    ...more,
  },
  { ...OPEN, title: 'SubjectSearch' },
);
export type SubjectSearch = Static<typeof SubjectSearch>;

export const ResourceSearch = Type.Object(
  {
    subject: Subject,
    action: Action,
    resource: searched('SearchedResource', '`type` is `content` for all, or a type or tag of items'),
    ...more,
  },
  { ...OPEN, title: 'ResourceSearch' },
);
export type ResourceSearch = Static<typeof ResourceSearch>;

export const ActionSearch = Type.Object(
  { subject: Subject, resource: Resource, ...more },
  { ...OPEN, title: 'ActionSearch' },
);
export type ActionSearch = Static<typeof ActionSearch>;

const toResults = <T extends TSchema>(result: T, title: string) =>
  Type.Object(
    {
      page: Type.Object({
        next_token: Type.String({ description: 'Empty at the end' }),
        count: Type.Integer({ description: 'Results in this answer: may be fewer than `limit` before the end' }),
      }),
      results: Type.Array(result),
    },
    { title },
  );

const Entity = Type.Object({ type: Type.String(), id: Type.String() }, { title: 'SearchResult' });
export const EntityResults = toResults(Entity, 'SearchResults');
export const ActionResults = toResults(Type.Object({ name: Type.String() }), 'ActionSearchResults');

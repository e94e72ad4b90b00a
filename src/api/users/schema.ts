/** Users, sign-in links and roles on the wire. */
import { type Static, Type } from 'typebox';
import { toIso } from '../../lib/clock.ts';
import { orNull } from '../../lib/nullable.ts';
import { deletedSchema, listSchema, pageProperties } from '../http/list.ts';
import { PERMISSIONS, type Permission, ROLE_NAMES, ROLES } from '../permissions.ts';
import { BY_LINK, USER_STATUSES, type User } from './user.ts';

const role = Type.Enum([...ROLE_NAMES], { title: 'Role' });

export const ListUsersQuery = Type.Object(
  { ...pageProperties, role: Type.Optional(role), status: Type.Optional(Type.Enum([...USER_STATUSES])) },
  { additionalProperties: false },
);

export const UserAnswer = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal('user'),
    name: Type.String(),
    email: orNull(Type.String()),
    role: orNull(role),
    status: Type.Enum([...USER_STATUSES]),
    issuer: orNull(Type.String({ description: 'The OpenID Connect provider; null for people who sign in by link' })),
    lastSeen: orNull(Type.String({ description: 'Within a minute; null before the first sign-in' })),
    created: Type.String(),
    updated: Type.String(),
  },
  { title: 'User', description: 'A person who signs in to the console' },
);
export const UserPage = listSchema(UserAnswer);
export const UserDeleted = deletedSchema('user');

export const userAnswer = (user: User): Static<typeof UserAnswer> => ({
  id: user.id,
  object: 'user',
  name: user.name,
  email: user.email,
  role: user.role,
  status: user.status,
  issuer: user.issuer === BY_LINK ? null : user.issuer,
  lastSeen: user.lastSeenAt === null ? null : toIso(user.lastSeenAt),
  created: toIso(user.createdAt),
  updated: toIso(user.updatedAt),
});

export const CreateLink = Type.Object(
  {
    name: Type.String({
      minLength: 1,
      maxLength: 200,
      format: 'plain-text',
      description: 'Who the link is for; the same name is the same user',
    }),
    role,
  },
  { additionalProperties: false, title: 'CreateSignInLink' },
);
export type CreateLink = Static<typeof CreateLink>;

export const LinkAnswer = Type.Object(
  {
    object: Type.Literal('sign_in_link'),
    path: Type.String({ description: 'To be opened in a browser, after the address of the service; shown only once' }),
    user: UserAnswer,
    expiresAt: Type.String(),
  },
  { title: 'SignInLink', description: 'A link that signs one person in, once' },
);

export const RolesAnswer = Type.Object(
  {
    object: Type.Literal('role_table'),
    roles: Type.Array(
      Type.Object({
        name: role,
        description: Type.String(),
        permissions: Type.Array(Type.Enum(Object.keys(PERMISSIONS) as Permission[], { title: 'KeyPermission' })),
        readOnly: Type.Boolean({ description: 'Its checks use up no limit and are not recorded' }),
      }),
    ),
  },
  { title: 'RoleTable', description: 'The roles of people and what they may do' },
);

export const rolesAnswer = (): Static<typeof RolesAnswer> => ({
  object: 'role_table',
  roles: ROLE_NAMES.map((name) => {
    const { doc, permissions, readOnly } = ROLES[name];
    return { name, description: doc, permissions: [...permissions], readOnly };
  }),
});

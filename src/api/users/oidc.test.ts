/** Settings of the provider, and the role that they give by a claim. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ConfigError, readConfig } from '../../service/config.ts';
import { pickRole } from './person.ts';

const GIVEN = {
  POSTERN_OIDC_ISSUER: 'https://login.example.com/realms/a',
  POSTERN_OIDC_CLIENT_ID: 'postern',
  POSTERN_OIDC_ROLES: 'heads=admin, staff=viewer',
};

function faultsOf(env: Record<string, string>): readonly string[] {
  try {
    readConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
  return [];
}

describe('settings', () => {
  test('of a provider, with what is usual', () => {
    assert.deepEqual(readConfig(GIVEN).oidc, {
      issuer: GIVEN.POSTERN_OIDC_ISSUER,
      clientId: 'postern',
      clientSecret: null,
      scopes: 'openid profile email',
      roleClaim: 'groups',
      roles: [
        ['heads', 'admin'],
        ['staff', 'viewer'],
      ],
    });
    assert.equal(readConfig({}).oidc, null);
  });

  test('name values with a comma or an equals sign', () => {
    const rolesOf = (text: string) => readConfig({ ...GIVEN, POSTERN_OIDC_ROLES: text }).oidc?.roles;
    assert.deepEqual(rolesOf('{"cn=heads,ou=groups": "admin"}'), [['cn=heads,ou=groups', 'admin']]);
    assert.deepEqual(rolesOf('a=b=editor'), [['a=b', 'editor']]);
    assert.deepEqual(rolesOf('*=viewer'), [['*', 'viewer']]);
  });

  const refused: [string, Record<string, string>, RegExp][] = [
    ['an issuer over http', { ...GIVEN, POSTERN_OIDC_ISSUER: 'http://login.example.com' }, /ISSUER: must be an https/],
    ['an issuer that is none', { ...GIVEN, POSTERN_OIDC_ISSUER: 'login' }, /ISSUER: must be an https/],
    ['no client', { POSTERN_OIDC_ISSUER: 'https://a.example', POSTERN_OIDC_ROLES: 'a=admin' }, /CLIENT_ID: .*needs it/],
    ['no roles', { POSTERN_OIDC_ISSUER: 'https://a.example', POSTERN_OIDC_CLIENT_ID: 'a' }, /ROLES: .*needs it/],
    ['a client without a provider', { POSTERN_OIDC_CLIENT_ID: 'a' }, /CLIENT_ID: has no effect/],
    ['an unknown role', { ...GIVEN, POSTERN_OIDC_ROLES: 'a=owner' }, /"a=owner" must be/],
    ['no value', { ...GIVEN, POSTERN_OIDC_ROLES: '=admin' }, /must be a value/],
    ['empty roles', { ...GIVEN, POSTERN_OIDC_ROLES: ' , ' }, /is empty/],
    ['broken JSON', { ...GIVEN, POSTERN_OIDC_ROLES: '{"a"' }, /is not JSON/],
    ['another kind of JSON', { ...GIVEN, POSTERN_OIDC_ROLES: '{"a": 5}' }, /must be a value/],
    ['scopes without openid', { ...GIVEN, POSTERN_OIDC_SCOPES: 'email' }, /must contain openid/],
  ];
  for (const [what, env, fault] of refused) {
    test(`refuse ${what}`, () => {
      const faults = faultsOf(env);
      assert.equal(faults.length, 1, faults.join('\n'));
      assert.match(faults[0] as string, fault);
    });
  }
});

describe('a role', () => {
  const of = (claims: Record<string, unknown>, more: Record<string, string> = {}) => {
    const { oidc } = readConfig({ ...GIVEN, ...more });
    assert.ok(oidc !== null);
    return pickRole(claims, oidc);
  };
  test('is that of the first value in the settings, not in the claim', () => {
    assert.equal(of({ groups: ['staff', 'heads'] }), 'admin');
    assert.equal(of({ groups: 'staff' }), 'viewer');
  });
  test('comes from a claim by its name, also with dots, or by its path', () => {
    const path = { POSTERN_OIDC_ROLE_CLAIM: 'realm_access.roles' };
    assert.equal(of({ realm_access: { roles: ['staff'] } }, path), 'viewer');
    assert.equal(of({ 'realm_access.roles': ['heads'], realm_access: { roles: ['staff'] } }, path), 'admin');
    assert.equal(of({ 'https://a.example/r': 'heads' }, { POSTERN_OIDC_ROLE_CLAIM: 'https://a.example/r' }), 'admin');
  });
  test('is none without a value that the settings name, whatever the claim is', () => {
    for (const groups of [undefined, null, [], ['other'], 'Staff', 5, { heads: true }, [['heads']], ['*'], true]) {
      assert.equal(of({ groups }), null, JSON.stringify(groups));
    }
    for (const name of ['__proto__', 'constructor', 'toString', 'groups.length', 'groups.0']) {
      assert.notEqual(of({ groups: ['x'] }, { POSTERN_OIDC_ROLE_CLAIM: name }), 'admin', name);
    }
    assert.equal(of({}, { POSTERN_OIDC_ROLES: '*=viewer' }), 'viewer', 'a star is everybody');
  });
});

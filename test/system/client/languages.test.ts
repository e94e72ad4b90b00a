/**
 * The clients for Python and PHP: what their pages show comes out, their methods are operations of the API, and
 * nothing that a network does makes them wait too long, repeat a write or hide why a call was refused.
 */
import assert from 'node:assert/strict';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { after, describe, test } from 'node:test';
import { runOutside } from '../../../kit/npm.ts';
import { startTestService } from '../../../kit/service.ts';
import { folderOf, requireCommand } from '../../../kit/web-server.ts';
import { startFaultyProxy } from '../../client/faulty-proxy.ts';

interface Language {
  command: string;
  /** Debian's name of the package that brings it. */
  package: string;
  /** The files of the client. */
  source: readonly string[];
  file: string;
  /** Matches the lines that print, with what their comments say. */
  comment: RegExp;
  /** A program that ends with the error about a key, and the options of the command that show most of it. */
  wrongKey: string;
  showing: readonly string[];
  /** Returns a program that makes the calls and prints what comes of each, a line of JSON. */
  calls: (calls: readonly Call[]) => string;
}

/** A call of a client, and with which options it is made. */
interface Call {
  operation: string;
  arguments: readonly unknown[];
  idempotencyKey?: string;
  url?: string;
  key?: string;
  timeout?: number;
  retries?: number;
}

const json = (value: unknown): string => JSON.stringify(JSON.stringify(value));
const snakeCase = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const LANGUAGES: Readonly<Record<string, Language>> = {
  python: {
    command: 'python3',
    package: 'python3',
    source: ['postern'],
    file: 'program.py',
    comment: /^ *print\(.*\) {2}# (.*)$/gm,
    wrongKey: 'from postern import Postern\nPostern("http://127.0.0.1:9", "svc_" + "sk_secret\\n").get_usage()\n',
    showing: ['-X', 'dev'],
    calls: (calls) => `
import json, os
from postern import Postern, PosternError, PosternUnreachable
for call in json.loads(${json(calls.map((one) => ({ ...one, operation: snakeCase(one.operation) })))}):
    try:
        options = {name: call[name] for name in ("timeout", "retries") if name in call}
        postern = Postern(call.get("url", os.environ["POSTERN_URL"]), call.get("key", os.environ["POSTERN_KEY"]), **options)
        named = {"idempotency_key": call["idempotencyKey"]} if "idempotencyKey" in call else {}
        print(json.dumps(getattr(postern, call["operation"])(*call["arguments"], **named)))
    except PosternError as error:
        found = [error.status, error.code, str(error), error.param, error.request_id is not None, error.retry_after]
        print(json.dumps({"refused": found}))
    except PosternUnreachable as error:
        print(json.dumps({"unreachable": [error.is_timeout, error.attempts]}))
    except ValueError as error:
        print(json.dumps({"notSent": str(error)}))
`,
  },
  php: {
    command: 'php',
    package: 'php-cli php-curl',
    source: ['postern.php'],
    file: 'program.php',
    comment: /^ *echo .*; \/\/ (.*)$/gm,
    wrongKey: `<?php
require 'postern.php';
(new Postern\\Client\\Postern('http://127.0.0.1:9', 'svc_' . "sk_secret\\n"))->getUsage();
`,
    showing: ['-d', 'zend.exception_ignore_args=0', '-d', 'zend.exception_string_param_max_len=1000'],
    calls: (calls) => `<?php
require 'postern.php';
use Postern\\Client\\{Postern, PosternError, PosternUnreachable};
foreach (json_decode(${json(calls).replaceAll('$', '\\$')}, true) as $call) {
    try {
        $options = array_intersect_key($call, ['timeout' => 0, 'retries' => 0]);
        $key = $call['key'] ?? getenv('POSTERN_KEY');
        $postern = new Postern($call['url'] ?? getenv('POSTERN_URL'), $key, ...$options);
        $named = array_intersect_key($call, ['idempotencyKey' => '']);
        $said = $postern->{$call['operation']}(...$call['arguments'], ...$named);
    } catch (PosternError $error) {
        $said = ['refused' => [$error->status, $error->errorCode, $error->getMessage(), $error->param,
            $error->requestId !== null, $error->retryAfter]];
    } catch (PosternUnreachable $error) {
        $said = ['unreachable' => [$error->isTimeout, $error->attempts]];
    } catch (InvalidArgumentException $error) {
        $said = ['notSent' => $error->getMessage()];
    }
    echo json_encode($said), "\\n";
}
`,
  },
};

const OPERATIONS = [
  'checkAccess',
  'checkAccessBatch',
  'upsertContent',
  'bulkUpsertContent',
  'createRequester',
  'createRequesterToken',
  'createLicense',
  'revokeLicense',
  'createApiKey',
  'revokeApiKey',
  'getUsage',
];

const postern = await startTestService();
const proxy = await startFaultyProxy(postern.url);
/** Sends one byte of an answer at a time, without an end. */
const dripping = createServer((_, response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  const drip = setInterval(() => response.write(' '), 20);
  response.once('close', () => clearInterval(drip));
});
await new Promise<void>((done) => dripping.listen(0, '127.0.0.1', done));
const drippingUrl = `http://127.0.0.1:${(dripping.address() as AddressInfo).port}`;
after(async () => {
  dripping.closeAllConnections();
  dripping.close();
  await proxy[Symbol.asyncDispose]();
  await postern[Symbol.asyncDispose]();
});

for (const [name, language] of Object.entries(LANGUAGES)) {
  describe(name, () => {
    requireCommand(language.command, language.package);
    const folder = folderOf({});
    after(() => rmSync(folder, { recursive: true, force: true }));
    for (const file of language.source) {
      cpSync(resolve('clients', name, file), join(folder, file), { recursive: true });
    }

    const run = async (program: string, url = proxy.url): Promise<string[]> => {
      writeFileSync(join(folder, language.file), program);
      const env = { POSTERN_URL: url, POSTERN_KEY: postern.key, PYTHONDONTWRITEBYTECODE: '1' };
      const ran = await runOutside(language.command, [language.file], { cwd: folder, env, withinMs: 30_000 });
      assert.deepEqual([ran.status, ran.stderr], [0, ''], ran.stdout);
      return ran.stdout.trimEnd().split('\n');
    };
    const calls = async (...all: Call[]): Promise<unknown[]> => {
      proxy.asked.length = 0;
      return (await run(language.calls(all))).map((line) => JSON.parse(line));
    };

    test('what its page shows comes out', async () => {
      const page = readFileSync(`clients/${name}/README.md`, 'utf8');
      const blocks = [...page.matchAll(/^```(?:python|php)\n([^]*?)^```$/gm)].map(([, text = '']) => text);
      assert.equal(blocks.length, 2);
      await using own = await startTestService();
      for (const block of blocks) {
        const shown = [...block.matchAll(language.comment)].map(([, text = '']) => text);
        assert.ok(shown.length > 0);
        writeFileSync(join(folder, language.file), block);
        const env = { POSTERN_URL: own.url, POSTERN_KEY: own.key, PYTHONDONTWRITEBYTECODE: '1' };
        const ran = await runOutside(language.command, [language.file], { cwd: folder, env, withinMs: 30_000 });
        assert.deepEqual([ran.status, ran.stderr, ran.stdout.trimEnd().split('\n')], [0, '', shown]);
      }
    });

    test('every method is the operation of its name', async () => {
      const { paths } = JSON.parse(readFileSync('openapi.json', 'utf8')) as {
        paths: Record<string, Record<string, { operationId?: string }>>;
      };
      for (const operation of OPERATIONS) {
        const given = { createRequesterToken: ['some-id', 'name'], getUsage: [] }[operation] ?? ['some-id'];
        const sent = /check|bulk|upsert|create(?!RequesterToken)/i.test(operation) ? [{}] : given;
        await calls({ operation, arguments: sent, retries: 0 });
        const [asked] = proxy.asked;
        const path = asked?.path.replace('some-id', '{id}') ?? '';
        assert.equal(paths[path]?.[asked?.method.toLowerCase() ?? '']?.operationId, operation);
      }
    });

    test('a write whose answer was lost takes effect once, under one key', async () => {
      proxy.faults = ['lost', 'cut'];
      const [made] = await calls({ operation: 'createRequester', arguments: [{ id: `${name}-once` }] });
      assert.equal((made as { id: string }).id, `${name}-once`);
      const keys = proxy.asked.map(({ key }) => key);
      assert.deepEqual([keys.length, new Set(keys).size], [3, 1]);
      assert.match(keys[0] ?? '', /^[\w-]{32,}$/);
      // Of two calls with one key of the caller, the second has the answer of the first.
      const idempotencyKey = `${name}-key`;
      const own: Call = { operation: 'createRequester', arguments: [{ id: `${name}-own` }], idempotencyKey };
      const [first, second] = await calls(own, own);
      assert.deepEqual(second, first);
      assert.equal((first as { id: string }).id, `${name}-own`);
    });

    test('a refusal has the code and the sentence of the service, and is not repeated', async () => {
      proxy.faults = [];
      const [refused] = await calls({ operation: 'createLicense', arguments: [{ requesterId: 'x', type: 7 }] });
      const [status, code, sentence, param, hasId] = (refused as { refused: unknown[] }).refused;
      assert.deepEqual([status, code, param, hasId], [400, 'invalid_request', 'type', true]);
      assert.match(String(sentence), /type/);
      assert.equal(proxy.asked.length, 1);
    });

    test('answers of others are told from those of Postern, and no redirect gets the key', async () => {
      proxy.faults = [
        { status: 302, headers: { location: drippingUrl } },
        { status: 200, body: '<html>' },
      ];
      const call = { operation: 'checkAccess', arguments: [{ contentId: 'a' }] };
      const said = (await calls(call, call)) as { refused: unknown[] }[];
      assert.deepEqual(
        said.map(({ refused }) => refused.slice(0, 2)),
        [
          [302, 'unexpected_answer'],
          [200, 'unexpected_answer'],
        ],
      );
    });

    test('what passes is tried three times, and a long wait is left to the caller', async () => {
      const down = { status: 503, body: 'down' };
      const call = { operation: 'getUsage', arguments: [] };
      proxy.faults = [down, down, down];
      const [refused] = (await calls(call)) as [{ refused: unknown[] }];
      assert.deepEqual([refused.refused.slice(0, 2), proxy.asked.length], [[503, 'unexpected_answer'], 3]);
      proxy.faults = [down, down];
      assert.ok('summary' in ((await calls(call))[0] as object));
      proxy.faults = [{ ...down, headers: { 'retry-after': '60' } }];
      const [later] = (await calls(call)) as [{ refused: unknown[] }];
      assert.deepEqual([later.refused.at(-1), proxy.asked.length], [60, 1]);
    });

    test('no attempt takes longer than its time, however slowly an answer comes', async () => {
      proxy.faults = ['silent'];
      const call = { operation: 'checkAccess', arguments: [{ contentId: 'a' }], timeout: 0.3, retries: 0 };
      const begun = performance.now();
      const said = await calls(call, { ...call, url: drippingUrl }, { ...call, url: 'http://127.0.0.1:9', retries: 1 });
      assert.deepEqual(said, [{ unreachable: [true, 1] }, { unreachable: [true, 1] }, { unreachable: [false, 2] }]);
      assert.ok(performance.now() - begun < 5_000);
    });

    test('an id that leads to another record is not sent', async () => {
      const revoke = (id: string): Call => ({ operation: 'revokeLicense', arguments: [id] });
      const said = await calls(revoke('..'), revoke(''), revoke('a/../b'));
      assert.ok(
        said.slice(0, 2).every((one) => 'notSent' in (one as object)),
        JSON.stringify(said),
      );
      assert.deepEqual(
        proxy.asked.map(({ path }) => path),
        ['/v1/licenses/a%2F..%2Fb/revoke'],
      );
    });

    test('a key that no header can carry is not sent, and not shown', async () => {
      const keys = [`${postern.key}\n`, `${postern.key}\r\n`, `${postern.key} x`, `${postern.key}…`, ''];
      const said = await calls(...keys.map((key) => ({ operation: 'getUsage', arguments: [], key })));
      assert.deepEqual(
        said,
        keys.map(() => ({ notSent: 'A key is one word' })),
      );
      assert.equal(proxy.asked.length, 0);
      writeFileSync(join(folder, language.file), language.wrongKey);
      const shown = [...language.showing, language.file];
      const ran = await runOutside(language.command, shown, { cwd: folder, env: {}, withinMs: 30_000 });
      assert.notEqual(ran.status, 0);
      assert.match(ran.stdout + ran.stderr, /A key is one word/);
      assert.doesNotMatch(ran.stdout + ran.stderr, /svc_sk/);
    });

    test('what was read can be sent back, with its empty objects and its empty lists', async () => {
      const item = { externalId: `${name}-empty`, title: 'x', type: 'article', source: 'https://example.com/x' };
      const policy = { name: 'p', rules: [{ action: 'allow', conditions: {}, permissions: [] }] };
      const sent: Call[] = [
        { operation: 'upsertContent', arguments: [{ ...item, tags: [], metadata: {} }] },
        { operation: 'bulkUpsertContent', arguments: [[{ ...item, metadata: { tags: [], context: [] } }]] },
        { operation: 'checkAccess', arguments: [{ contentId: item.externalId, context: {} }] },
        { operation: 'createRequester', arguments: [{ id: `${name}-empty`, metadata: {}, tags: [] }] },
        {
          operation: 'createLicense',
          arguments: [{ requesterId: `${name}-empty`, type: 'y', features: [], scope: {} }],
        },
        { operation: 'call', arguments: ['POST', '/v1/policies', policy] },
        { operation: 'call', arguments: ['PUT', '/v1/sites/php.example', { purposes: {}, sitemaps: [] }] },
        { operation: 'call', arguments: ['POST', '/v1/policies/lint', { rules: [], defaultAction: 'deny' }] },
      ];
      const said = await calls(...sent);
      assert.ok(!said.some((one) => 'refused' in (one as object)), JSON.stringify(said));
      const bodies = sent.map(({ operation, arguments: given }) =>
        operation === 'bulkUpsertContent' ? { items: given[0] } : given.at(-1),
      );
      assert.deepEqual(
        proxy.asked.map(({ body }) => JSON.parse(body)),
        bodies,
      );
    });

    test('keys are made and revoked', async () => {
      const [made] = (await calls({
        operation: 'createApiKey',
        arguments: [{ name: 'k', type: 'secret', permissions: ['access:check'] }],
      })) as [{ id: string; key: string }];
      assert.match(made.key, /^svc_sk_/);
      const [gone] = (await calls({ operation: 'revokeApiKey', arguments: [made.id] })) as [{ revoked: boolean }];
      assert.equal(gone.revoked, true);
    });
  });
}

test('the types of the Python client name fields of the API alone', () => {
  const { components } = JSON.parse(readFileSync('openapi.json', 'utf8')) as {
    components: { schemas: Record<string, { properties?: Record<string, { properties?: object }> }> };
  };
  const { schemas } = components;
  const fieldsOf = (name: string): string[] => Object.keys(schemas[name]?.properties ?? {});
  const names: Readonly<Record<string, readonly string[]>> = {
    Context: Object.keys(schemas.Check?.properties?.context?.properties ?? {}),
    Check: fieldsOf('Check'),
    Decision: [...fieldsOf('AccessDecision'), ...fieldsOf('CheckError')],
    Item: fieldsOf('CreateContent'),
    NewRequester: fieldsOf('CreateRequester'),
    Requester: fieldsOf('Requester'),
    Token: fieldsOf('RequesterToken'),
    NewLicense: fieldsOf('CreateLicense'),
    License: fieldsOf('License'),
    NewKey: fieldsOf('CreateApiKey'),
    Key: fieldsOf('ApiKey'),
  };
  const source = readFileSync('clients/python/postern/types.py', 'utf8');
  const classes = [...source.matchAll(/^class (\w+)\(.*\n([^]*?)(?=^class |$(?![^]))/gm)];
  assert.deepEqual(
    classes.map(([, name]) => name),
    Object.keys(names),
  );
  for (const [, name = '', body = ''] of classes) {
    const fields = [...body.matchAll(/^ {4}(\w+): /gm)].map(([, field = '']) => field);
    assert.ok(fields.length > 0, name);
    for (const field of fields) assert.ok(names[name]?.includes(field), `${name}.${field}`);
  }
});

interface Schema {
  $ref?: string;
  type?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
  allOf?: Schema[];
}

test('the PHP client knows the names of all objects in bodies', () => {
  const { paths, components } = JSON.parse(readFileSync('openapi.json', 'utf8')) as {
    paths: Record<string, Record<string, { requestBody?: { content: Record<string, { schema: Schema }> } }>>;
    components: { schemas: Record<string, Schema> };
  };
  const found: { name: string; schema: Schema }[] = [];
  const walk = (name: string, schema: Schema): void => {
    if (found.some((one) => one.name === name && one.schema === schema)) return;
    found.push({ name, schema });
    const { $ref: to = '', anyOf = [], allOf = [], items = [], properties = {} } = schema;
    const target = components.schemas[to.split('/').at(-1) ?? ''] ?? [];
    for (const one of [target, anyOf, allOf].flat()) walk(name, one);
    for (const one of [items].flat()) walk('', one);
    for (const [one, each] of Object.entries(properties)) walk(one, each);
  };
  for (const operation of Object.values(paths).flatMap((path) => Object.values(path))) {
    const { schema } = operation.requestBody?.content?.['application/json'] ?? {};
    walk('', schema ?? {});
  }
  const namesOf = (type: string, is = (_: Schema): boolean => true): Set<string> =>
    new Set(
      found.filter(({ name, schema }) => name !== '' && schema.type === type && is(schema)).map(({ name }) => name),
    );
  const [objects, lists] = [namesOf('object'), namesOf('array')];
  const free = namesOf('object', ({ properties }) => properties === undefined);
  const source = readFileSync('clients/php/postern.php', 'utf8');
  const namesIn = (constant: string): string[] => {
    const [, text = ''] = new RegExp(`const ${constant} = \\[([^\\]]*)\\];`).exec(source) ?? [];
    return [...text.matchAll(/'(\w+)'/g)].map(([, one = '']) => one);
  };
  // The former is never an empty object, and the latter is one in sites alone.
  assert.deepEqual([...objects].filter((one) => lists.has(one)).toSorted(), ['collection', 'purposes']);
  assert.deepEqual(namesIn('OBJECTS'), [...objects].filter((one) => !lists.has(one)).toSorted());
  assert.deepEqual(namesIn('FREE'), [...free].toSorted());
});

/** A record's fields become columns, statements and rows, and come back as they were. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { columns } from './record.ts';

interface Thing {
  no: number;
  id: string;
  ownerId: string | null;
  tags: string[];
  scope: object | null;
}

const THING = columns<Thing>(
  { no: 'generated', id: 'fixed', ownerId: 'plain', tags: 'json', scope: 'json' },
  { tagCount: ({ tags }) => tags.length },
);
const thing: Thing = { no: 7, id: 'a', ownerId: null, tags: ['x', 'y'], scope: null };

test('an insert writes everything but what the database generates', () => {
  const step = THING.step('insert into things ({columns}) select {values} where :ownerId is null', 1)(thing);
  assert.deepEqual(step, {
    sql: 'insert into things (id, owner_id, tags, scope, tag_count) select $1, $2, $3, $4, $5 where $2 is null',
    params: ['a', null, '["x","y"]', null, 2],
    expect: 1,
  });
});

test('an update writes no fixed column, and takes values that are not of the record', () => {
  const step = THING.step('update things set {changes} where id = :id and seen = :seen')(thing, { seen: 3 });
  assert.deepEqual(step, {
    sql: 'update things set owner_id = $1, tags = $2, scope = $3, tag_count = $4 where id = $5 and seen = $6',
    params: [null, '["x","y"]', null, 2, 'a', 3],
  });
});

test('a row becomes the record it was written from', () => {
  assert.equal(THING.list, 'no, id, owner_id, tags, scope');
  assert.deepEqual(THING.toRecord({ no: 7, id: 'a', owner_id: null, tags: '["x","y"]', scope: null }), thing);
});

/** Refusals of the service name what people see in a form. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PosternError } from '../api/client.ts';
import { toRefused } from './refused.ts';

const LABELS = { id: 'Id', hosts: 'Hosts', externalId: 'External id', metadata: 'Metadata' };

test('every problem is at its field, and names the field or its entry as the form does', () => {
  const error = new PosternError(400, {
    code: 'invalid_request',
    message: '`id` must have 1 to 128 characters.',
    details: [
      { param: 'id', message: '`id` must have 1 to 128 characters.' },
      { param: 'hosts[1]', message: '`hosts[1]` must be a host.' },
      { param: 'hosts', message: '`hosts` must have at most 100 entries.' },
      { param: 'mode', message: '`mode` is unknown.' },
    ],
  });
  const { at, elsewhere } = toRefused(error, LABELS, { hosts: ['a.example', 'a b'] });
  assert.equal(at('id'), 'Id must have 1 to 128 characters.');
  assert.equal(at('hosts'), '“a b” must be a host. Hosts must have at most 100 entries.');
  assert.equal(at('metadata'), undefined);
  assert.equal(elsewhere, '`mode` is unknown.');
});

test('a conflict is at its field, in words of the console', () => {
  const message = 'Content with this externalId already exists: cnt_1. Edit it, or use /v1/content/upsert.';
  const error = new PosternError(409, { code: 'external_id_exists', message, param: 'externalId' });
  const { at, elsewhere } = toRefused(error, LABELS);
  assert.equal(at('externalId'), 'Another item has this external id. Edit that item, or choose another id.');
  assert.equal(elsewhere, undefined);
});

test('any other failure is at the foot of the form', () => {
  assert.equal(toRefused(new Error('No answer.'), LABELS).elsewhere, 'No answer.');
  assert.equal(toRefused(new SyntaxError('x'), LABELS).at('metadata'), 'The metadata is not valid JSON.');
  assert.equal(toRefused(undefined, LABELS).elsewhere, undefined);
});

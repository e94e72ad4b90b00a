/**
 * Seals final statements, each as a leaf of the tree of its requester. Promise: a statement is sealed as it is in the
 * records; what an erasure takes of it is gone from the log, too. The table `statements` belongs to the room of that
 * name.
 */
import { randomBytes } from 'node:crypto';
import type { Db, Step } from '../../../db/db.ts';
import { hashLeaf } from '../../../lib/merkle.ts';
import { fence } from './forget.ts';
import { commitTo, SALT_BYTES, STATEMENT_PARTS, statementData, toStatementParts } from './parts.ts';
import { growTree, type KnownTree, openTrees } from './tiles.ts';

const AT_ONCE = 200;

interface FinalRow {
  id: string;
  body: string;
}

/** Seals final statements that are not sealed yet. Returns whether there are more. Throws Conflict. */
export async function sealStatements(db: Db): Promise<boolean> {
  const rows = await db.read<FinalRow & Record<string, string>>(
    `select id, body from statements where id not in (select statement_id from log_statements)
     order by finalized_at, id limit ${AT_ONCE}`,
  );
  if (rows.length === 0) return false;
  const byRequester = Map.groupBy(rows, ({ body }) => (JSON.parse(body) as { requesterId: string }).requesterId);
  const { trees, steps: made } = await openTrees(db, [...byRequester.keys()]);
  // Another node that still seals decisions writes no more.
  const steps = [fence(undefined), ...made];
  for (const [requesterId, theirs] of byRequester) {
    steps.push(...sealInTree(trees.get(requesterId) as KnownTree, theirs));
  }
  await db.atomic(steps);
  return rows.length === AT_ONCE;
}

function sealInTree(tree: KnownTree, rows: readonly FinalRow[]): Step[] {
  const { size } = tree.edge;
  const sealed = rows.map(({ id, body }, i) => {
    const parts = toStatementParts(body);
    const salts = STATEMENT_PARTS.map(() => randomBytes(SALT_BYTES));
    const hashes = STATEMENT_PARTS.map((name, part) => commitTo(salts[part] as Buffer, parts[name]));
    const [statementSalt, requesterSalt, requesterHash] = [...salts, hashes[1] as Buffer].map((one) =>
      one.toString('base64'),
    );
    const step: Step = {
      // Not if its requester is erased meanwhile.
      sql: `insert into log_statements (statement_id, tree, place, statement_salt, requester_salt, requester_hash)
        select id, $2, $3, $4, $5, $6 from statements where id = $1 and body = $7`,
      params: [id, tree.no, size + i, statementSalt, requesterSalt, requesterHash, body] as (string | number)[],
      expect: 1,
    };
    return { leaf: hashLeaf(statementData(hashes)), step };
  });
  const leaves = sealed.map(({ leaf }) => leaf);
  const { tiles, size: grown } = growTree(tree, leaves);
  return [...sealed.map(({ step }) => step), ...tiles, grown];
}

/** A rule as a sentence, with the names of records instead of their ids. */

import { findRow } from './condition-table.ts';
import { type ReadableRecord, useRecordNames } from './record-names.ts';
import { type Conditions, type Rule, ruleWords } from './rules.ts';

export function RuleText({ rule }: { rule: Rule }) {
  const conditions = rule.conditions ?? {};
  const collections = useRecordNames('collection', idsOf(conditions, 'collection'));
  const requesters = useRecordNames('requester', idsOf(conditions, 'requester'));
  const items = useRecordNames('content', idsOf(conditions, 'content'));
  return ruleWords(rule, new Map([...collections, ...requesters, ...items]));
}

/** Sentences name so many values of a condition. */
const SHOWN = 4;

const idsOf = (conditions: Conditions, source: ReadableRecord): string[] =>
  Object.entries(conditions).flatMap(([key, value]) =>
    findRow(key)?.row.source === source ? [value].flat().slice(0, SHOWN).map(String) : [],
  );

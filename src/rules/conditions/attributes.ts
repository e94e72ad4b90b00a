/**
 * Attributes: what the server that asks knows of the subject, the action and the resource, by names of its own; and the
 * condition on them.
 */
import { type TSchema, Type } from 'typebox';
import { fieldPath, type Problem, refined } from '../../lib/refined.ts';
import { type Condition, LIST_MAX } from './condition.ts';
import { metadataEquality } from './match.ts';

const ATTRIBUTES_MAX = 32;
const ATTRIBUTE_NAME_MAX = 100;
const ATTRIBUTE_TEXT_MAX = 256;

const AttributeValueSchema = Type.Union([
  Type.String({ maxLength: ATTRIBUTE_TEXT_MAX }),
  Type.Number(),
  Type.Boolean(),
]);

const ATTRIBUTE_NAME = /^(?:subject|action|resource)\.[\s\S]/;

const attributesTo = <S extends TSchema>(value: S, options: object) =>
  refined(
    // Without the pattern, a key with a line break escapes validation together with its value.
    Type.Record(Type.String({ pattern: '^[\\s\\S]*$' }), value, {
      maxProperties: ATTRIBUTES_MAX,
      propertyNames: { minLength: 1, maxLength: ATTRIBUTE_NAME_MAX },
      ...options,
    }),
    strangeNames,
  );

function strangeNames(attributes: object, path: string): Problem[] {
  const strange = Object.keys(attributes).find((name) => !ATTRIBUTE_NAME.test(name));
  if (strange === undefined) return [];
  const param = fieldPath(path, strange);
  return [{ param, message: `\`${param}\` must begin with \`subject.\`, \`action.\` or \`resource.\`.` }];
}

/** The attributes of a check, by names such as `subject.role`. */
export const AttributesSchema = attributesTo(AttributeValueSchema, {
  title: 'Attributes',
  description:
    'What the calling server knows of the subject, the action and the resource, for the condition `attributes`',
});

export const ATTRIBUTE_CONDITIONS = {
  attributes: {
    about: 'check',
    negatable: true,
    schema: attributesTo(
      Type.Union([AttributeValueSchema, Type.Array(AttributeValueSchema, { minItems: 1, maxItems: LIST_MAX })]),
      { minProperties: 1 },
    ),
    doc: 'Every key is an attribute that the calling server states (`context.attributes`) and equals the value, or any of the list. Keys begin with `subject.`, `action.` or `resource.`.',
    example: { 'subject.role': ['editor', 'admin'] },
    ...metadataEquality((facts) => facts.attributes),
  },
} as const satisfies Record<string, Condition>;

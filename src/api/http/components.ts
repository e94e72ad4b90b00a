/**
 * Names the schemas of the OpenAPI document: a schema with a `title` moves to `components.schemas` under that title,
 * with a `$ref` in its place. Keywords of this service are left out. Validation is not affected.
 */

interface DocumentSchema {
  title?: string;
  /** The schema of an entry that is validated on its own. */
  entry?: DocumentSchema;
  properties?: Record<string, DocumentSchema>;
  patternProperties?: Record<string, DocumentSchema>;
  additionalProperties?: boolean | DocumentSchema;
  items?: DocumentSchema;
  anyOf?: DocumentSchema[];
  [keyword: string]: unknown;
}

interface Content {
  $ref?: string;
  content?: Record<string, { schema: DocumentSchema; example?: unknown }>;
}

interface Operation {
  operationId: string;
  parameters?: { schema: DocumentSchema }[];
  requestBody?: Content;
  responses?: Record<string, Content>;
}

export interface ApiDocument {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, DocumentSchema> };
}

const OWN_KEYWORDS = ['title', 'entry', 'expected', 'itemsApart', 'fixed', 'oneRequired', 'rule'];

/** Changes `document` in place. Throws where two different schemas have the same title. */
export function nameSchemas(document: ApiDocument): void {
  const components = new Map<string, DocumentSchema>();
  for (const schema of Object.values(document.components.schemas)) toReference(schema, components);
  const replaceIn = ({ content = {} }: Content): void => {
    for (const media of Object.values(content)) media.schema = toReference(media.schema, components);
  };
  for (const operation of Object.values(document.paths).flatMap((path) => Object.values(path))) {
    for (const parameter of operation.parameters ?? []) parameter.schema = toReference(parameter.schema, components);
    replaceIn(operation.requestBody ?? {});
    for (const response of Object.values(operation.responses ?? {})) replaceIn(response);
  }
  document.components.schemas = Object.fromEntries(
    [...components].toSorted(([one], [other]) => (one < other ? -1 : 1)),
  );
}

/** Returns the schema as the document shows it: a reference if it has a title, else a copy with its parts replaced. */
function toReference(schema: DocumentSchema, components: Map<string, DocumentSchema>): DocumentSchema {
  if (schema.entry !== undefined) return toReference(schema.entry, components);
  const within = (part: DocumentSchema): DocumentSchema => toReference(part, components);
  const withinEach = (parts: Record<string, DocumentSchema>) =>
    Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, within(part)]));
  const { properties, patternProperties, additionalProperties, items, anyOf, ...rest } = schema;
  const shown: DocumentSchema = {
    ...Object.fromEntries(Object.entries(rest).filter(([keyword]) => !OWN_KEYWORDS.includes(keyword))),
    ...(properties === undefined ? {} : { properties: withinEach(properties) }),
    ...(patternProperties === undefined ? {} : { patternProperties: withinEach(patternProperties) }),
    ...(additionalProperties === undefined
      ? {}
      : {
          additionalProperties:
            typeof additionalProperties === 'object' ? within(additionalProperties) : additionalProperties,
        }),
    ...(items === undefined ? {} : { items: within(items) }),
    ...(anyOf === undefined ? {} : { anyOf: anyOf.map(within) }),
  };
  if (schema.title === undefined) return shown;
  const known = components.get(schema.title);
  if (known !== undefined && JSON.stringify(known) !== JSON.stringify(shown)) {
    throw new Error(`Two different schemas of the API are called ${schema.title}`);
  }
  components.set(schema.title, shown);
  return { $ref: `#/components/schemas/${schema.title}` };
}

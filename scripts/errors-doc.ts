/**
 * Prints docs/errors.md from the table in src/api/errors.ts. A test holds the file to it:
 * `npm exec -- node scripts/errors-doc.ts > docs/errors.md`
 */
import { ERRORS } from '../src/api/errors.ts';

const HEAD = `# Errors

<!-- Written by scripts/errors-doc.ts from src/api/errors.ts; edit those. -->

The blocks with \`ask\` can be pasted in their order; the [quick start](quick-start.md) defines it.

Every refusal has one form:

\`\`\`sh
ask POST /v1/policies -d '{"name": "Partners", "rules": [{"action": "deny", "conditions": {"licenceType": "research"}}]}'
\`\`\`
\`\`\`json
{
  "error": {
    "code": "invalid_request",
    "message": "Unknown field \`rules[0].conditions.licenceType\`; did you mean \`licenseType\`?",
    "type": "validation_error",
    "param": "rules[0].conditions.licenceType",
    "details": [{"param": "rules[0].conditions.licenceType", "message": "…"}],
    "requestId": "req_…"
  }
}
\`\`\`

- Decide by \`code\`: codes do not change their meaning. \`message\` is for people and may change.
- \`param\` and \`details\` are there when one place of the request is at fault. \`details\` lists every fault of a body.
- \`requestId\` is also in the \`Request-Id\` header, which every answer has. Send \`X-Request-Id\` (letters, digits and
  \`. _ -\`, at most 128) to choose it.
- A denied check is not an error: it is a decision, answered with 200.

A request is refused for the first of these that applies: no key, an invalid key, the address, the permission, the
body or the query, an unknown id, a conflict.

| status | code | type | meaning |
|---|---|---|---|
`;

const FOOT = `
401 carries \`WWW-Authenticate: Bearer\`. 503 and \`idempotency_key_in_use\` carry \`Retry-After\` in seconds.
`;

export function errorsDoc(): string {
  const rows = Object.entries(ERRORS).map(
    ([code, { status, type, meaning }]) => `| ${status} | \`${code}\` | \`${type}\` | ${meaning} |\n`,
  );
  return HEAD + rows.join('') + FOOT;
}

if (import.meta.main) process.stdout.write(errorsDoc());

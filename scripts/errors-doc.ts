/**
 * Prints docs/errors.md from the table in src/errors.ts. A test holds the file to it:
 * `npm exec -- node scripts/errors-doc.ts > docs/errors.md`
 */
import { ERRORS, type ErrorCode } from '../src/errors.ts';

/** What happened, and what to do. */
const MEANINGS: Record<ErrorCode, string> = {
  invalid_request:
    'Something in the request is not as documented. `param` says where, `message` what would be right, `details` lists all of it.',
  invalid_json: 'The body is not JSON, or not UTF-8.',
  invalid_cursor: 'The `cursor` was not given out by this list. Pass the `nextCursor` of the page before, unchanged.',
  missing_api_key: 'No `Authorization: Bearer …` header.',
  invalid_api_key: 'The key does not exist, was revoked or has expired; the message says which.',
  insufficient_permissions: 'The key does not hold the permission that the message names.',
  ip_not_allowed: 'The key may not be used from the address that the message names.',
  content_not_found: 'No item has this id or externalId.',
  policy_not_found: 'No policy has this id.',
  policy_version_not_found: 'The policy has no version of this number.',
  requester_not_found: 'Nobody registered a requester with this id.',
  license_not_found: 'No licence has this id.',
  api_key_not_found: 'No key has this id. Keys that were revoked are not found either.',
  decision_not_found: 'No decision has this id, or its content was deleted.',
  webhook_not_found: 'No webhook has this id.',
  event_not_found: 'No event has this id, or it is older than 30 days.',
  delivery_not_found: 'The webhook has no delivery with this id, or it is older than 30 days.',
  route_not_found: 'There is no such path.',
  method_not_allowed: 'The path is there, the method is not. `Allow` lists those there are.',
  external_id_exists: 'Another item has this externalId. Edit that one, or use upsert.',
  requester_exists: 'A requester with this id is registered already.',
  policy_in_use: 'Content, perhaps archived, still points to the policy. Give it another one first.',
  default_policy: 'The default policy, and `pol_default`, cannot be deleted.',
  last_admin_key: 'Nobody could manage keys afterwards. Create another key that can, and that does not expire.',
  idempotency_key_in_use:
    'The first request with this `Idempotency-Key` is still being worked on. Repeat it after `Retry-After` seconds.',
  precondition_failed: 'The record has changed since the `ETag` in `If-Match`. Read it again.',
  payload_too_large: 'The body has more than 1 MiB, or 16 MiB for bulk operations and batches.',
  unsupported_media_type: 'The body is not sent as `application/json`, or it is sent compressed.',
  idempotency_key_reused: 'The `Idempotency-Key` was used with another body within 24 hours. Use a new one.',
  internal_error: 'A fault of Postern. The log has its cause under the same `requestId`.',
  service_unavailable:
    'It cannot be done now. Try again after `Retry-After` seconds. Nothing was changed, with one exception that the message names: the disk failed in the middle of writing; if Postern is then restarted before it can write again, the change may be found made.',
  storage_full: 'No space is left on the disk. Nothing was changed; reads go on.',
};

const HEAD = `# Errors

<!-- Written by scripts/errors-doc.ts from src/errors.ts; edit those. -->

Every refusal has one form:

\`\`\`http
POST /v1/policies

{"name": "Partners", "rules": [{"action": "deny", "conditions": {"licenceType": "research"}}]}
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

A request is refused for the first of these that applies: no key, an invalid key, the address, the permission, the body or
the query, an unknown id, a conflict.

| status | code | type | meaning |
|---|---|---|---|
`;

const FOOT = `
401 carries \`WWW-Authenticate: Bearer\`. 503 and \`idempotency_key_in_use\` carry \`Retry-After\` in seconds.
`;

export function errorsDoc(): string {
  const rows = Object.entries(ERRORS).map(
    ([code, { status, type }]) => `| ${status} | \`${code}\` | \`${type}\` | ${MEANINGS[code as ErrorCode]} |\n`,
  );
  return HEAD + rows.join('') + FOOT;
}

if (import.meta.main) process.stdout.write(errorsDoc());

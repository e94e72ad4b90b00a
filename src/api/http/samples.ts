/** Code samples of the API reference: each operation as a request of curl, a call of the client, and a command. */
import { FORM } from './oauth.ts';

/** Commands that do what an operation does. */
export const COMMANDS: Readonly<Record<string, string>> = {
  bulkUpsertContent: 'content import catalog.ndjson',
  checkAccess: 'check tides --requester university --permission full_access',
  createApiKey: 'keys create "Web server" --permission access:check',
  createLicense: 'licenses create university --type research --expires 2100-01-01',
  createRequester: 'requesters create university --name "University of Somewhere" --type research',
  createRequesterToken: 'requesters tokens create university Production --expires 2100-01-01',
  createSignInLink: 'console link --name "Ada Lovelace" --role licensing',
  deletePolicyCandidate: 'policies candidate delete "Research partners"',
  eraseRequester: 'erase requester university',
  finalizeStatement: 'statements finalize stm_01kbm3q8e5f6v7w8x9y0z1a2b3',
  getAttention: 'attention',
  getStatus: 'status',
  getUsage: 'usage --period 7d',
  lintPolicy: 'policies lint policies/research.yaml',
  importRequesters: 'requesters import partners.csv',
  listApiKeys: 'keys list',
  listCollections: 'collections list',
  listContent: 'content list',
  listCrawlers: 'crawlers list',
  listDecisions: 'decisions export --denied',
  listIdentityLists: 'crawlers lists',
  listLicenses: 'licenses list',
  listPolicies: 'policies list',
  listRequesterTokens: 'requesters tokens list university',
  listRequesters: 'requesters list',
  listStatements: 'statements list --period 2026-10',
  listUsers: 'users list',
  previewPolicyImpact: 'policies impact policies/research.yaml',
  publishPolicyCandidate: 'policies candidate publish "Research partners"',
  putPolicyCandidate: 'policies candidate put policies/research.yaml',
  reconcileStatement: 'statements reconcile stm_01kbm3q8e5f6v7w8x9y0z1a2b3 counts.csv',
  createCrawler: "crawlers add foobot --name Foobot --operator 'Foo Ltd' --purpose training",
  deleteCrawler: 'crawlers remove foobot',
  registerCrawlers: 'crawlers register GPTBot ClaudeBot',
  acceptIdentityList: 'crawlers accept-list https://openai.com/gptbot.json',
  revokeApiKey: 'keys revoke key_01kbm3q8e5f6v7w8x9y0z1a2b3',
  revokeLicense: 'licenses revoke lic_01kbm3q8e5f6v7w8x9y0z1a2b3',
  rollbackPolicy: 'policies rollback "Research partners" 1',
  rotateApiKey: 'keys rotate key_01kbm3q8e5f6v7w8x9y0z1a2b3 --grace 3600',
  updateLicense: 'licenses edit lic_01kbm3q8e5f6v7w8x9y0z1a2b3 --expires 2100-01-01',
  updatePolicy: 'policies apply policies/research.yaml',
  updateRequester: 'requesters edit university --tag nonprofit --tag partner',
};

export interface SampledOperation {
  operationId: string;
  security?: readonly Record<string, unknown>[];
  description?: string;
  parameters?: readonly { name: string; in: string; required?: boolean }[];
  requestBody?: { content: Record<string, { example?: unknown }> };
}

/** Returns the samples as Markdown. */
export function formatSamples(method: string, path: string, operation: SampledOperation): string {
  const command = COMMANDS[operation.operationId];
  return [
    '**curl**',
    fenced('sh', curlSample(method, path, operation)),
    '**The client**',
    fenced('js', clientSample(operation)),
    ...(command === undefined ? [] : ['**The command**', fenced('sh', `npx postern ${command}`)]),
  ].join('\n\n');
}

const fenced = (language: string, text: string): string => `\`\`\`${language}\n${text}\n\`\`\``;

function curlSample(method: string, path: string, { security = [], requestBody }: SampledOperation): string {
  const [scheme] = security.flatMap((one) => Object.keys(one));
  return [
    `curl${method === 'GET' ? '' : ` -X ${method}`} "$POSTERN_URL${path.replaceAll(/\{(\w+)\}/g, '$$$1')}"`,
    ...(scheme === undefined ? [] : [HEADERS[scheme] as string]),
    ...curlBody(requestBody?.content ?? {}),
  ].join(' \\\n  ');
}

function curlBody(content: Record<string, { example?: unknown }>): string[] {
  return Object.entries(content).flatMap(([type, { example }]) => {
    const text = writeBody(type, example);
    return [`-H 'Content-Type: ${type}'`, `--data-binary '${text.replaceAll("'", String.raw`'\''`)}'`];
  });
}

/** Returns an example as the body of a request. */
export function writeBody(type: string, example: unknown): string {
  if (typeof example === 'string') return example;
  if (type === FORM) return new URLSearchParams(example as Record<string, string>).toString();
  return JSON.stringify(example);
}

const HEADERS: Readonly<Record<string, string>> = {
  key: '-H "Authorization: Bearer $POSTERN_KEY"',
  requesterToken: '-H "Authorization: Bearer $REQUESTER_TOKEN"',
  proxyKey: '-H "X-Postern-Key: $POSTERN_KEY"',
};

function clientSample({ operationId, parameters = [], requestBody }: SampledOperation): string {
  const [body] = Object.values(requestBody?.content ?? {});
  const args = [
    ...parameters.filter((one) => one.in === 'path').map(({ name }) => name),
    ...(body?.example === undefined ? [] : [JSON.stringify(body.example, null, 2)]),
  ];
  return `await postern.${operationId}(${args.join(', ')});`;
}

/**
 * Agents that sign their requests as Web Bot Auth defines it. The signature base comes from `http-message-sig`, an
 * implementation that is not Postern's; `signBase` signs any text, for requests that no signer should make.
 */
import { constants, createHash, generateKeyPairSync, type KeyObject, sign, type webcrypto } from 'node:crypto';
import { type ComponentDescriptor, component, createSignatureSync, type SignatureComponent } from 'http-message-sig';

export interface SigningKey {
  /** The public key. */
  jwk: webcrypto.JsonWebKey;
  privateJwk: webcrypto.JsonWebKey;
  /** The thumbprint of the key. */
  keyId: string;
  algorithm: 'ed25519' | 'rsa-pss-sha512';
  sign(data: Uint8Array): Buffer;
}

export function newSigningKey(algorithm: SigningKey['algorithm'] = 'ed25519', bits = 2048): SigningKey {
  const pair =
    algorithm === 'ed25519'
      ? generateKeyPairSync('ed25519')
      : generateKeyPairSync('rsa', { modulusLength: bits, publicExponent: 65_537 });
  return signingKeyOf(pair);
}

function signingKeyOf({ privateKey, publicKey }: { privateKey: KeyObject; publicKey: KeyObject }): SigningKey {
  const jwk = publicKey.export({ format: 'jwk' });
  const isRsa = jwk.kty === 'RSA';
  const required = isRsa ? { e: jwk.e, kty: jwk.kty, n: jwk.n } : { crv: jwk.crv, kty: jwk.kty, x: jwk.x };
  const pss = { key: privateKey, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 64 };
  return {
    jwk,
    privateJwk: privateKey.export({ format: 'jwk' }),
    keyId: createHash('sha256').update(JSON.stringify(required)).digest('base64url'),
    algorithm: isRsa ? 'rsa-pss-sha512' : 'ed25519',
    sign: (data) => (isRsa ? sign('sha512', data, pss) : sign(null, data, privateKey)),
  };
}

export interface ToSign {
  url: string;
  method?: string;
  headers: Record<string, string>;
  label?: string;
  components?: readonly SignatureComponent[];
  /** Replaces or, with undefined, removes parameters. */
  parameters?: Record<string, string | number | undefined>;
  /** Epoch milliseconds. */
  at: number;
}

/** The component of an agent's own member. */
export const agentComponent = (key: string): ComponentDescriptor => component('signature-agent', { key });

/** Returns the headers of a signed request: those given and the two of the signature. */
export function signRequest(key: SigningKey, request: ToSign): Record<string, string> {
  const { url, method = 'GET', headers, label = 'sig1', parameters = {}, at } = request;
  const { signature, signatureInput } = createSignatureSync(
    {
      kind: 'request',
      method,
      targetUri: url,
      fields: Object.entries(headers).map(([name, value]) => ({ name, value })),
    },
    {
      label,
      components: request.components ?? ['@authority', agentComponent(label)],
      parameters: {
        created: Math.floor(at / 1000),
        expires: Math.floor(at / 1000) + 300,
        keyid: key.keyId,
        alg: key.algorithm,
        tag: 'web-bot-auth',
        ...parameters,
      },
      signer: { algorithm: key.algorithm, sign: (data) => key.sign(data) },
    },
  );
  return { ...headers, signature, 'signature-input': signatureInput };
}

/** Signs lines as a signature base; `input` is the value of the label in `Signature-Input`. */
export function signBase(key: SigningKey, lines: readonly string[], input: string, label = 'sig1') {
  const base = [...lines, `"@signature-params": ${input}`].join('\n');
  const signature = key.sign(Buffer.from(base)).toString('base64');
  return { 'signature-input': `${label}=${input}`, signature: `${label}=:${signature}:` };
}

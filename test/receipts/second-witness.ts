/**
 * Witnesses and their cosignatures, built a second time from the pages of C2SP alone (tlog-witness, tlog-cosignature,
 * signed-note). It shares nothing with the service.
 */
import { Buffer } from 'node:buffer';
import { createHash, createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const EM_DASH = '\u2014';

function keyId(name: string, type: number, raw: Uint8Array): Buffer {
  const hash = createHash('sha256').update(name).update('\n').update(Uint8Array.of(type)).update(raw);
  return hash.digest().subarray(0, 4);
}

const rawOf = (key: KeyObject): Buffer => key.export({ format: 'der', type: 'spki' }).subarray(-32);
/** The prefix of an SPKI of Ed25519 (RFC 8410). */
const SPKI = Buffer.from('302a300506032b6570032100', 'hex');

export function openCosigner(name: string) {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const raw = rawOf(publicKey);
  const id = keyId(name, 4, raw);
  return {
    name,
    key: `${name}+${id.toString('hex')}+${Buffer.concat([Buffer.of(4), raw]).toString('base64')}`,
    /** The text of a checkpoint, with its last newline. */
    line(text: string, seconds: number): string {
      const message = `cosignature/v1\ntime ${seconds}\n${text}`;
      const stamp = Buffer.alloc(8);
      stamp.writeUInt32BE(Math.floor(seconds / 2 ** 32), 0);
      stamp.writeUInt32BE(seconds % 2 ** 32, 4);
      const signature = sign(null, Buffer.from(message), privateKey);
      return `${EM_DASH} ${name} ${Buffer.concat([id, stamp, signature]).toString('base64')}\n`;
    },
  };
}

export const bodyOf = (note: string): string => note.slice(0, note.lastIndexOf('\n\n') + 1);

/** Reads a verifier key of a cosigner. */
function readKey(vkey: string) {
  const [name = '', hex = '', ...rest] = vkey.split('+');
  const typed = Buffer.from(rest.join('+'), 'base64');
  if (typed.length !== 33 || typed[0] !== 4) throw new Error('no key of a cosigner');
  if (keyId(name, 4, typed.subarray(1)).toString('hex') !== hex) throw new Error('another id');
  const key = createPublicKey({ key: Buffer.concat([SPKI, typed.subarray(1)]), format: 'der', type: 'spki' });
  return { name, hex, key };
}

/** Returns the time of a cosignature line; throws unless the key made it over the text. */
export function timeOf(line: string, text: string, vkey: string): number {
  const { name, hex, key } = readKey(vkey);
  const [dash, signer, encoded = '', ...more] = line.replace(/\n$/, '').split(' ');
  if (dash !== EM_DASH || signer !== name || more.length > 0) throw new Error('no line of this signer');
  const bytes = Buffer.from(encoded, 'base64');
  if (bytes.length !== 4 + 8 + 64 || bytes.toString('hex', 0, 4) !== hex) throw new Error('no cosignature of this key');
  const seconds = bytes.readUInt32BE(4) * 2 ** 32 + bytes.readUInt32BE(8);
  const message = Buffer.from(`cosignature/v1\ntime ${seconds}\n${text}`);
  if (!verify(null, message, key, bytes.subarray(12))) throw new Error('the cosignature is wrong');
  return seconds;
}

export interface Answer {
  status: number;
  body: string;
}

/** A server at which a witness is asked. It keeps all bodies. */
export async function serveWitness(answer: (body: string, path: string) => Answer | Promise<Answer>) {
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      let body = '';
      for await (const chunk of request.setEncoding('utf8')) body += chunk as string;
      bodies.push(body);
      const { status, body: text } = await answer(body, `${request.method} ${request.url}`);
      response.writeHead(status, { 'content-type': status === 409 ? 'text/x.tlog.size' : 'text/plain' }).end(text);
    })();
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/w`,
    bodies,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

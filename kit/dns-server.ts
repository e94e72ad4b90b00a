/** A DNS server on this machine (RFC 1035) with the records of a test: PTR, A and AAAA. */
import { createSocket } from 'node:dgram';

const TYPES = { A: 1, PTR: 12, AAAA: 28 } as const;
const NAME_ERROR = 3;

export interface DnsRecord {
  type: keyof typeof TYPES;
  ttl?: number;
  /** An address or a host name. */
  data: string;
}

export interface DnsServer extends AsyncDisposable {
  /** Address and port, for `setServers`. */
  address: string;
  /** By name in lowercase; `servfail` and `silent` say how the server fails. */
  records: Map<string, DnsRecord[] | 'servfail' | 'silent'>;
  /** The names that were asked for. */
  asked: string[];
}

export async function startDnsServer(): Promise<DnsServer> {
  const socket = createSocket('udp4');
  const records: DnsServer['records'] = new Map();
  const asked: string[] = [];
  socket.on('message', (query, { port, address }) => {
    const { name, end } = readName(query, 12);
    asked.push(name);
    const found = records.get(name) ?? [];
    if (found === 'silent') return;
    const type = query.readUInt16BE(end);
    const answers = found === 'servfail' ? [] : found.filter((record) => TYPES[record.type] === type);
    const header = Buffer.alloc(12);
    header.writeUInt16BE(query.readUInt16BE(0), 0);
    const code = found === 'servfail' ? 2 : records.has(name) ? 0 : NAME_ERROR;
    header.writeUInt16BE(0x8180 | code, 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(answers.length, 6);
    socket.send(Buffer.concat([header, query.subarray(12, end + 4), ...answers.map(toAnswer)]), port, address);
  });
  await new Promise<void>((bound) => socket.bind(0, '127.0.0.1', bound));
  return {
    address: `127.0.0.1:${socket.address().port}`,
    records,
    asked,
    [Symbol.asyncDispose]: () => new Promise((closed) => void socket.close(() => closed())),
  };
}

function readName(message: Buffer, start: number): { name: string; end: number } {
  const labels: string[] = [];
  let place = start;
  for (let length = message[place] ?? 0; length > 0; length = message[place] ?? 0) {
    labels.push(message.toString('latin1', place + 1, place + 1 + length));
    place += length + 1;
  }
  return { name: labels.join('.').toLowerCase(), end: place + 1 };
}

function toAnswer({ type, ttl = 300, data }: DnsRecord): Buffer {
  const value = type === 'PTR' ? toName(data) : toAddress(data);
  const head = Buffer.alloc(12);
  // The name of the question.
  head.writeUInt16BE(0xc00c, 0);
  head.writeUInt16BE(TYPES[type], 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt32BE(ttl, 6);
  head.writeUInt16BE(value.length, 10);
  return Buffer.concat([head, value]);
}

const toName = (name: string): Buffer =>
  Buffer.concat([
    ...name.split('.').map((label) => Buffer.from([label.length, ...Buffer.from(label)])),
    Buffer.from([0]),
  ]);

/** IPv6 addresses are written in full. */
function toAddress(text: string): Buffer {
  if (!text.includes(':')) return Buffer.from(text.split('.').map(Number));
  return Buffer.from(
    text
      .split(':')
      .map((group) => group.padStart(4, '0'))
      .join(''),
    'hex',
  );
}

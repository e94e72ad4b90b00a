/** A receiver of OTLP over HTTP for tests: decodes the spans of JSON and protobuf (opentelemetry-proto, trace v1). */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedSpan {
  traceId: string;
  spanId: string;
  /** Empty without a parent. */
  parentSpanId: string;
  name: string;
  /** 1 internal, 2 server, 3 client. */
  kind: number;
  attributes: Record<string, string | number>;
  /** 2: error. */
  status: number;
  ms: number;
  service: string;
}

export interface OtlpReceiver extends AsyncDisposable {
  url: string;
  spans: ReceivedSpan[];
  /** Bodies as they arrived. */
  bodies: Buffer[];
  paths: string[];
}

export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const bodies: Buffer[] = [];
  const paths: string[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const type = String(request.headers['content-type']);
    bodies.push(body);
    paths.push(`${type} ${request.url}`);
    spans.push(...(type.startsWith('application/json') ? ofJson(JSON.parse(body.toString())) : ofProtobuf(body)));
    response.setHeader('content-type', type).end(type.startsWith('application/json') ? '{}' : '');
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    spans,
    bodies,
    paths,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

const attributesOf = (list: any[] = []): Record<string, string | number> =>
  Object.fromEntries(
    list.map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue ?? value.doubleValue)]),
  );

const msOf = (start: string | bigint, end: string | bigint): number => Number(BigInt(end) - BigInt(start)) / 1e6;

function ofJson({ resourceSpans }: any): ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }: any) =>
    scopeSpans.flatMap(({ spans }: any) =>
      spans.map((span: any) => ({
        traceId: span.traceId,
        spanId: span.spanId,
        parentSpanId: span.parentSpanId ?? '',
        name: span.name,
        kind: span.kind,
        attributes: attributesOf(span.attributes),
        status: span.status?.code ?? 0,
        ms: msOf(span.startTimeUnixNano, span.endTimeUnixNano),
        service: String(attributesOf(resource.attributes)['service.name']),
      })),
    ),
  );
}

type Field = bigint | Buffer;

/** Reads the fields of a protobuf message by number. */
function fieldsOf(bytes: Buffer): Map<number, Field[]> {
  const fields = new Map<number, Field[]>();
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++] as number;
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
  };
  while (at < bytes.length) {
    const tag = Number(varint());
    let value: Field;
    if ((tag & 7) === 0) value = varint();
    else if ((tag & 7) === 1) {
      value = bytes.readBigUInt64LE(at);
      at += 8;
    } else if ((tag & 7) === 5) {
      value = BigInt(bytes.readUInt32LE(at));
      at += 4;
    } else {
      const length = Number(varint());
      value = bytes.subarray(at, at + length);
      at += length;
    }
    fields.set(tag >> 3, [...(fields.get(tag >> 3) ?? []), value]);
  }
  return fields;
}

function ofProtobuf(bytes: Buffer): ReceivedSpan[] {
  const all = (message: Field | undefined, no: number): Buffer[] =>
    message === undefined ? [] : ((fieldsOf(message as Buffer).get(no) ?? []) as Buffer[]);
  const attributes = (message: Field | undefined, no: number): Record<string, string | number> =>
    Object.fromEntries(
      all(message, no).map((pair) => {
        const [value] = all(pair, 2);
        const text = value === undefined ? undefined : fieldsOf(value).get(1)?.[0];
        const int = value === undefined ? undefined : fieldsOf(value).get(3)?.[0];
        return [String(all(pair, 1)[0]), text === undefined ? Number(int) : String(text)];
      }),
    );
  return all(bytes, 1).flatMap((group) => {
    const service = String(attributes(all(group, 1)[0], 1)['service.name']);
    return all(group, 2).flatMap((scope) =>
      all(scope, 2).map((span) => {
        const one = fieldsOf(span);
        const hex = (no: number): string => (one.get(no)?.[0] as Buffer | undefined)?.toString('hex') ?? '';
        const [status] = one.get(15) ?? [];
        return {
          traceId: hex(1),
          spanId: hex(2),
          parentSpanId: hex(4),
          name: String(one.get(5)?.[0]),
          kind: Number(one.get(6)?.[0]),
          attributes: attributes(span, 9),
          status: status === undefined ? 0 : Number(fieldsOf(status as Buffer).get(3)?.[0] ?? 0),
          ms: msOf(one.get(7)?.[0] as bigint, one.get(8)?.[0] as bigint),
          service,
        };
      }),
    );
  });
}

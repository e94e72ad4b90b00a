/**
 * The trace that a request belongs to, from its `traceparent` header: W3C Trace Context, level 1
 * (https://www.w3.org/TR/trace-context/). A header that breaks the format is ignored, as the standard says.
 */
export interface TraceContext {
  /** 32 lowercase hexadecimal digits. */
  traceId: string;
  /** The span of the caller: 16 lowercase hexadecimal digits. */
  spanId: string;
  /** Bit 0: the caller records the trace. */
  flags: number;
}

/** Later versions may append fields; `ff` is none. */
const FORM = /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(-.*)?$/;

export function parseTraceparent(header: string | readonly string[] | undefined): TraceContext | undefined {
  if (typeof header !== 'string') return undefined;
  const [, version, traceId = '', spanId = '', flags = '', rest] = FORM.exec(header) ?? [];
  if (version === undefined || (version === '00' && rest !== undefined)) return undefined;
  return { traceId, spanId, flags: Number.parseInt(flags, 16) };
}

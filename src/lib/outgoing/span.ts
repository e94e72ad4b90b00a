/** A span for a request of ours: the host and the status, and not the path, which may hold a secret. */
import { type SpanAttributes, traced } from '../spans.ts';

/** `work` calls `answered` with the status as soon as there is one. */
export function tracedRequest<T>(
  method: string,
  url: string,
  work: (answered: (statusCode: number) => void) => Promise<T>,
): Promise<T> {
  const { hostname, port, protocol } = new URL(url);
  let status: number | undefined;
  return traced(
    method,
    () =>
      work((statusCode) => {
        status = statusCode;
      }),
    {
      client: true,
      attributes: {
        'http.request.method': method,
        'server.address': hostname,
        'server.port': Number(port) || (protocol === 'http:' ? 80 : 443),
      },
      after: (): SpanAttributes => (status === undefined ? {} : { 'http.response.status_code': status }),
    },
  );
}

/** The answer of a service, read whole. */
export interface Answer {
  status: number;
  headers: Headers;
  /** The parsed JSON; undefined for other media types. */
  body: any;
  text: string;
}

/** Reads an answer. A stream never ends: it is canceled, and its text is empty. */
export async function readAnswer(response: Response): Promise<Answer> {
  const { status, headers } = response;
  const type = headers.get('content-type') ?? '';
  if (type.startsWith('text/event-stream')) {
    await response.body?.cancel();
    return { status, headers, text: '', body: undefined };
  }
  const text = await response.text();
  return { status, headers, text, body: toBody(type, text) };
}

export const toBody = (type: string, text: string): unknown =>
  text !== '' && type.startsWith('application/json') ? JSON.parse(text) : undefined;

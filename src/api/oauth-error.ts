/** A refusal with a code that OAuth or a specification beside it defines. */
export class OAuthError extends Error {
  readonly status: number;
  readonly error: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, error: string, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.status = status;
    this.error = error;
    this.headers = headers;
  }
}

/** How commands end: every exit status there is, and the errors that lead to one. */

export const EXIT = {
  ok: 0,
  /** Refused by the service, or failed. */
  failed: 1,
  /** The command line, a file or a setting is not as it should be. */
  usage: 2,
  /** `check`: the answer is no. */
  denied: 3,
  /** Ctrl-C. */
  interrupted: 130,
} as const;

export type ExitStatus = (typeof EXIT)[keyof typeof EXIT];

/** Ends the command with a sentence on stderr. */
export class CommandError extends Error {
  readonly status: ExitStatus;

  constructor(status: ExitStatus, message: string, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
  }
}

export const failed = (message: string, cause?: unknown): CommandError =>
  new CommandError(EXIT.failed, message, { cause });

/** What was typed cannot be done; nothing was tried. */
export const misused = (message: string): CommandError => new CommandError(EXIT.usage, message);

/** Exit statuses of the command, and the errors that lead to them. */

export const EXIT = {
  ok: 0,
  /** The service refused, or the work failed. */
  failed: 1,
  /** The command line, a file or a setting is invalid. */
  usage: 2,
  /** `check`: access is denied. */
  denied: 3,
  /** Ctrl-C. */
  interrupted: 130,
} as const;

export type ExitStatus = (typeof EXIT)[keyof typeof EXIT];

/** Ends the command; its message goes to stderr. */
export class CommandError extends Error {
  readonly status: ExitStatus;

  constructor(status: ExitStatus, message: string, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
  }
}

export const failed = (message: string, cause?: unknown): CommandError =>
  new CommandError(EXIT.failed, message, { cause });

/** The input is invalid; nothing was attempted. */
export const misused = (message: string): CommandError => new CommandError(EXIT.usage, message);

/** Mutants that no test kills, with the reason. The run fails when one is missing here and when one is here in vain. */
export interface Survivor {
  file: string;
  /** The source line, trimmed. */
  line: string;
  from: string;
  to: string;
  why: string;
}

export const SURVIVORS: readonly Survivor[] = [];

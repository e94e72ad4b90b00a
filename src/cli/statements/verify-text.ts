/** Says in words what was verified, by what, and what was not looked at. */
import type { Answered } from '../../../client/src/types.ts';
import { paint } from '../../lib/terminal-text.ts';
import type { Verified } from './verify.ts';

type Statement = Answered<'getStatement'>;

interface Looked {
  service?: Statement;
  hasEvidence?: boolean;
}

interface Options {
  statement?: string;
  archive?: string;
}

/** Returns a sentence for each thing that was not looked at, with the way to look at it. */
export function toNotLooked(
  { missing, deleted, recorded }: Verified,
  { archive }: Options,
  { service, hasEvidence = false }: Looked,
): string[] {
  const isRecordKnown = hasEvidence || recorded.lines.length > 0;
  const gone = missing + deleted > 0;
  return [
    ...(gone && archive === undefined
      ? ['archived decisions. Name the folder of the archive with --archive DIR.']
      : []),
    ...(gone && !isRecordKnown
      ? [
          'decisions of deleted items, and those that left the log. `postern statements show ID --format ndjson` writes them, for --decisions.',
        ]
      : []),
    ...(service === undefined
      ? [
          "the requester's name, the period and the terms. Without --decisions, they are compared with those of the service.",
        ]
      : []),
  ];
}

interface Findings {
  verified: Verified;
  notLooked: readonly string[];
  hasEvidence?: boolean | undefined;
}

export function toText(
  terminal: Parameters<typeof paint>[0],
  { id }: Statement,
  { verified, notLooked, hasEvidence = false }: Findings,
): string {
  const { decisions, deleted, missing, differences } = verified;
  const uncountable = deleted === 0 ? '' : `, ${deleted} of deleted items cannot be`;
  const lines = differences.map(
    ({ line, field, stated, counted }) =>
      `${paint(terminal, 'red', '✗')} ${line}: ${field} is ${stated}, counted ${counted ?? 'none'}`,
  );
  const note = missing === 0 ? [] : [toMissing(missing, hasEvidence)];
  return [
    `${id}: ${decisions} decisions counted again${uncountable}`,
    ...toRecorded(verified),
    ...(lines.length === 0 ? [`${paint(terminal, 'green', '✓')} every line agrees`] : lines),
    ...notLooked.map((one) => `Not looked at: ${one}`),
    ...note,
    '',
  ].join('\n');
}

// A final statement keeps what was counted: nothing in it says what was deleted later.
const toMissing = (missing: number, hasEvidence: boolean): string =>
  hasEvidence
    ? `${missing} of its decisions are missing: neither the log has them, nor the service's record of those that were deleted or left it.`
    : `${missing} of its decisions are missing. Their items were deleted since, or they left the log: without them, only the amounts can be verified.`;

function toRecorded({ recorded: { deleted, retention, lines } }: Verified): string[] {
  const causes = [
    ...(deleted === 0 ? [] : [`${deleted} of deleted items`]),
    ...(retention === 0 ? [] : [`${retention} that left the log`]),
  ];
  return causes.length === 0
    ? []
    : [
        `${causes.join(' and ')}: counted by their ids, which the service keeps`,
        ...lines.map(
          ({ line, decisions, sha256, others }) =>
            `  ${line}: ${others} from the log or an archive, ${decisions} by their ids, SHA-256 ${sha256}`,
        ),
      ];
}

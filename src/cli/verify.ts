/** `postern verify`: verifies a receipt with the public key of the log, and without the service that made it. */
import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { type Receipt, ReceiptError, verifyReceipt } from '../../client/src/receipt.ts';
import type { Answered } from '../../client/src/types.ts';
import { plain } from '../lib/terminal-text.ts';
import { type CommandContext, collect, does, examples } from './command.ts';
import { isAddress } from './import/source.ts';
import { EXIT, failed, misused } from './outcome.ts';
import { json } from './terminal.ts';

interface Options {
  publicKey: string;
  checkpoint?: string;
  witness?: string[];
  quorum?: string;
}

export function verifyCommand(parent: Command, context: CommandContext): void {
  const command = parent
    .command('verify')
    .argument('<file>', 'receipt of a decision or of a statement')
    .description(
      'Verifies a receipt with the public key of the log alone. It needs no service. Guide: docs/receipts.md',
    )
    .requiredOption('--public-key <file|url>', 'keys of the log, such as https://access.example.com/log/key')
    .option(
      '--checkpoint <file>',
      'also verify that the log continues this earlier checkpoint, or that of this earlier receipt',
    )
    .option(
      '--witness <key|file|url>',
      'verifier key of a witness that must have cosigned the checkpoint, or where it is; may be repeated',
      collect,
    )
    .option('--quorum <count>', 'how many of the witnesses are enough; all by default');
  examples(
    command,
    '$ postern verify dec.tlog-proof --public-key log.key',
    '$ postern verify dec.tlog-proof --public-key log.key --checkpoint may.checkpoint',
    '$ postern verify dec.tlog-proof --public-key log.key --witness https://partner.example/witness/key',
  );
  does<Options>(command, context, async (options, file) => {
    const { terminal } = context;
    const keys = await readSource(options.publicKey);
    const old = options.checkpoint === undefined ? {} : { checkpoint: readText(options.checkpoint) };
    const witnesses = await readWitnesses(options);
    try {
      const receipt = await verifyReceipt(readText(file), keys, { ...old, ...witnesses });
      if (options.json === true) {
        await terminal.out(json(receipt));
        return EXIT.ok;
      }
      const { requester, checkpoint, withheld, cosigned } = receipt;
      const lines = [
        ...toFindings(receipt),
        `Requester: ${String(requester === null ? 'not shown' : (requester.requesterId ?? 'none'))}`,
        `Log: ${checkpoint.origin}, ${checkpoint.size} entries`,
        ...(options.checkpoint === undefined ? [] : ['The log continues the earlier checkpoint.']),
        ...cosigned.map(({ name, time }) => `Cosigned: ${name} at ${time}`),
        ...(withheld.length === 0 ? [] : [`Only a hash is left of: ${withheld.join(', ')}`]),
      ];
      await terminal.out(`${lines.map(plain).join('\n')}\n`);
      return EXIT.ok;
    } catch (error) {
      if (error instanceof ReceiptError) throw failed(`Not verified: ${error.message}`, error);
      throw error;
    }
  });
}

const KEY = /^[^+\s]+\+[0-9a-f]{8}\+\S+$/;

/** A witness is named by its key, or by where its key is. */
async function readWitnesses({ witness = [], quorum }: Options) {
  const keys = await Promise.all(witness.map(async (one) => (KEY.test(one) ? one : readSource(one))));
  if (quorum === undefined) return { witnesses: keys.join('\n') };
  if (!/^[1-9]\d?$/.test(quorum)) throw misused(`--quorum ${quorum} is not a number of witnesses.`);
  if (witness.length === 0) throw misused('--quorum needs the witnesses: name each with --witness.');
  return { witnesses: keys.join('\n'), quorum: Number(quorum) };
}

/** Says what the receipt proves. */
function toFindings({ decision, statement, counted }: Receipt): string[] {
  if (decision !== null) {
    const verdict = decision.allowed === true ? 'allowed' : `denied (${String(decision.reason)})`;
    return [`Verified: ${String(decision.id)} of ${String(decision.created)} was ${verdict}.`];
  }
  const { id, period, decisions, total, terms } = statement as unknown as Answered<'getStatement'>;
  const amount = `${total.amount} ${terms.currency}`;
  const verified = `Verified: ${id} of ${period} is final: ${amount} for ${decisions} decisions.`;
  if (counted === null) return [verified];
  const { purpose, tier } = counted.line;
  const line = `${String(purpose ?? 'no purpose')}, tier ${String(tier)}`;
  return [verified, `It counts ${counted.decisionId} (${line}).`];
}

const readSource = async (from: string): Promise<string> => (isAddress(from) ? fetchText(from) : readText(from));

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw misused(`${file} cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
}

async function fetchText(url: string): Promise<string> {
  const answer = await fetch(url).catch((error: unknown) => {
    throw failed(`${url} cannot be reached.`, error);
  });
  if (!answer.ok) throw failed(`${url} answers with the status ${answer.status}.`);
  return answer.text();
}

/** Options that select decisions by what they are based on. */
import { type Command, Option } from 'commander';
import type { Query } from '../../client/src/types.ts';
import { VERIFIED_FILTERS } from '../decisions/ledger/codes.ts';

type Selection = Query<'listDecisions'>;

export interface GroundsAnswer {
  collection?: string;
  crawler?: string;
  page?: string;
  under?: string;
  verified?: Selection['verified'];
  license?: string;
  purpose?: string;
  permission?: string;
  rule?: string;
}

export const addGrounds = (command: Command): Command =>
  command
    .option('--collection <id>', 'only decisions in this collection')
    .option('--crawler <name>', 'only requests whose user agent names this crawler')
    .option('--page <url>', 'only this page: host and path')
    .option('--under <url>', 'only this page and those below it: a host, or host and path')
    .addOption(new Option('--verified <how>', 'only requests verified like this').choices([...VERIFIED_FILTERS]))
    .option('--license <id>', 'only decisions that this license decided')
    .option('--purpose <purpose>', 'only requests with this purpose')
    .option('--permission <permission>', 'only requests for this permission')
    .option('--rule <rule>', 'only decisions by this rule: policy/version/index, such as pol_…/3/0');

export const toGrounds = (options: GroundsAnswer) => ({
  collectionId: options.collection,
  crawler: options.crawler,
  page: options.page,
  pagePrefix: options.under,
  verified: options.verified,
  licenseId: options.license,
  purpose: options.purpose,
  permission: options.permission,
  rule: options.rule,
});

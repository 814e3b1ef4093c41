import { horizonAsset } from './asset-fields.ts';
import type { HorizonClient } from './horizon-client.ts';
import type { StellarClawbacks } from './network.ts';

const largestPage = 200;

/**
 * Finds clawbacks among the operations that concern an account: Horizon has no list of them alone. Transactions are not
 * brought along, so a page is small.
 */
export function createHorizonClawbacks(client: HorizonClient): StellarClawbacks {
  return {
    clawbacks: async (account, cursor) => {
      const path = `accounts/${account}/operations`;
      if (cursor === null) {
        const [newest] = await client.list(path, { order: 'desc', limit: 1 });
        return { clawbacks: [], cursor: newest?.text('paging_token') ?? '0', more: false };
      }
      const records = await client.list(path, { cursor, order: 'asc', limit: largestPage });
      const taken = records.filter(record => record.text('type') === 'clawback' && record.text('from') === account);
      return {
        clawbacks: taken.map(record => ({
          reference: record.text('id'),
          transactionHash: record.text('transaction_hash'),
          asset: horizonAsset(record),
          amount: record.amount('amount'),
          createdAt: record.time('created_at'),
        })),
        cursor: records.at(-1)?.text('paging_token') ?? cursor,
        more: records.length === largestPage,
      };
    },
  };
}

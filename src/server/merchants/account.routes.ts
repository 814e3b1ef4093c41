import { Account, UpdateAccount } from '../../api/merchant.ts';
import type { Db, Tx } from '../platform/db/database.ts';
import { callerOf } from '../platform/http/access/caller.ts';
import type { HttpApp } from '../platform/http/http-app.ts';
import { accountChanges, accountToWire } from './account.ts';
import { withDrawnImages } from './image.ts';
import type { KeyDirectory } from './key-directory.ts';
import { findMerchant, updateMerchant } from './merchant.store.ts';

/** What the account routes need. */
export interface AccountDeps {
  readonly db: Db;
  readonly keys: Pick<KeyDirectory, 'forget'>;
  /** Throws PayError `invalid_asset` for a settlement asset the service does not know. */
  readonly assertAsset: (text: string, param: string) => void;
  /** Runs in the transaction that changes the merchant's Stellar address. */
  readonly onAddress: (tx: Tx, merchantId: string) => Promise<void>;
}

const tags = ['Account'];

/** `GET` and `PATCH /v1/account`: the merchant's own settings, shared by test and live mode. */
export function registerAccountRoutes(app: HttpApp, deps: AccountDeps): void {
  app.get(
    '/v1/account',
    {
      schema: { response: { 200: Account }, tags, summary: 'Read the account' },
      config: { access: 'secret', scope: 'account:read' },
    },
    async request => {
      const { merchant, livemode } = callerOf(request);
      return accountToWire((await findMerchant(deps.db, merchant.id)) ?? merchant, livemode);
    },
  );
  app.patch(
    '/v1/account',
    {
      schema: {
        body: UpdateAccount,
        response: { 200: Account },
        tags,
        summary: 'Change the account',
        description:
          'Only what is given changes. Replicas follow within moments. An SVG logo or icon is drawn and kept as PNG.',
      },
      config: { access: 'secret', scope: 'account:write' },
    },
    async request => {
      const { merchant, livemode } = callerOf(request);
      const changes = accountChanges(await withDrawnImages(request.body), deps.assertAsset);
      const changed = await deps.db.transaction().execute(async tx => {
        const updated = await updateMerchant(tx, merchant.id, changes);
        if (changes.stellarAddress !== undefined) await deps.onAddress(tx, merchant.id);
        return updated;
      });
      deps.keys.forget(merchant.id);
      return accountToWire(changed, livemode);
    },
  );
}

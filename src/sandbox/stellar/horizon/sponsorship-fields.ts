import type { LedgerKeyWire, RevokeSponsorshipOpWire } from '@stellar/stellar-sdk/xdr';
import { accountOf, signerText } from '../core/account-key.ts';
import { assetText } from '../core/ledger-asset.ts';
import { balanceIdText } from '../node/participants.ts';
import type { Fields } from './horizon-values.ts';

/** What Horizon tells of the sponsorship that an operation revokes. */
export function sponsorshipFields(op: RevokeSponsorshipOpWire): Fields {
  if (op.type === 0) return keyFields(op.ledgerKey);
  return { signer_account_id: accountOf(op.signer.accountId), signer_key: signerText(op.signer.signerKey) };
}

function keyFields(key: LedgerKeyWire): Fields {
  switch (key.type) {
    case 0:
      return { account_id: accountOf(key.account.accountId) };
    case 1: {
      const { accountId, asset } = key.trustLine;
      const line = assetText(asset);
      const name = asset.type === 3 ? 'trustline_liquidity_pool_id' : 'trustline_asset';
      return { trustline_account_id: accountOf(accountId), [name]: line };
    }
    case 2:
      return { offer_id: String(key.offer.offerId) };
    case 3:
      return { data_account_id: accountOf(key.data.accountId), data_name: key.data.dataName.toString() };
    case 4:
      return { claimable_balance_id: balanceIdText(key.claimableBalance.balanceId) };
    case 5:
      return { liquidity_pool_id: Buffer.from(key.liquidityPool.liquidityPoolId).toString('hex') };
    default:
      return {};
  }
}

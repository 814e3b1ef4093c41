import type { OperationBodyWire, OperationResultWire } from '@stellar/stellar-sdk/xdr';
import type { OperationRules } from './operation-rules.ts';
import { accountMerge } from './operations/account-merge.ts';
import { bumpSequence } from './operations/bump-sequence.ts';
import { changeTrust } from './operations/change-trust.ts';
import { claimClaimableBalance, createClaimableBalance } from './operations/claimable-balance.ts';
import { clawback, clawbackClaimableBalance } from './operations/clawback.ts';
import { createAccount } from './operations/create-account.ts';
import { inflation } from './operations/inflation.ts';
import { liquidityPoolDeposit, liquidityPoolWithdraw } from './operations/liquidity-pool.ts';
import { manageData } from './operations/manage-data.ts';
import { createPassiveSellOffer, manageBuyOffer, manageSellOffer } from './operations/offers.ts';
import { pathPaymentStrictReceive, pathPaymentStrictSend } from './operations/path-payment.ts';
import { payment } from './operations/payment.ts';
import { revokeSponsorship } from './operations/revoke-sponsorship.ts';
import { setOptions } from './operations/set-options.ts';
import { beginSponsoringFutureReserves, endSponsoringFutureReserves } from './operations/sponsoring.ts';
import { allowTrust, setTrustLineFlags } from './operations/trust-flags.ts';

const unsupportedResult: OperationResultWire = { code: -3 };

/** What a contract operation meets here: this ledger has no contracts. */
const unsupported: OperationRules = {
  threshold: () => 'medium',
  blank: unsupportedResult,
  supported: false,
  check: () => unsupportedResult,
  apply: () => ({ successful: false, result: unsupportedResult }),
};

/** The rules of each operation, by its number on the wire. */
const rules: Readonly<Record<OperationBodyWire['type'], OperationRules>> = {
  0: createAccount,
  1: payment,
  2: pathPaymentStrictReceive,
  3: manageSellOffer,
  4: createPassiveSellOffer,
  5: setOptions,
  6: changeTrust,
  7: allowTrust,
  8: accountMerge,
  9: inflation,
  10: manageData,
  11: bumpSequence,
  12: manageBuyOffer,
  13: pathPaymentStrictSend,
  14: createClaimableBalance,
  15: claimClaimableBalance,
  16: beginSponsoringFutureReserves,
  17: endSponsoringFutureReserves,
  18: revokeSponsorship,
  19: clawback,
  20: clawbackClaimableBalance,
  21: setTrustLineFlags,
  22: liquidityPoolDeposit,
  23: liquidityPoolWithdraw,
  24: unsupported,
  25: unsupported,
  26: unsupported,
};

export const rulesOf = ({ type }: OperationBodyWire): OperationRules => rules[type];

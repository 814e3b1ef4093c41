import type { OperationBodyWire, OperationResultWire } from '@stellar/stellar-sdk/xdr';
import { bumpSequence, inflation, manageData, setOptions } from './account-settings.ts';
import { allowTrust, clawback, setTrustLineFlags } from './authorization.ts';
import { claimClaimableBalance, clawbackClaimableBalance, createClaimableBalance } from './claimable-balances.ts';
import { liquidityPoolDeposit, liquidityPoolWithdraw } from './liquidity-pools.ts';
import { createPassiveSellOffer, manageBuyOffer, manageSellOffer } from './offers.ts';
import type { OperationRules } from './operation.ts';
import { pathPaymentStrictReceive, pathPaymentStrictSend } from './path-payments.ts';
import { accountMerge, createAccount, payment } from './payments.ts';
import { beginSponsoringFutureReserves, endSponsoringFutureReserves, revokeSponsorship } from './sponsorship.ts';
import { changeTrust } from './trust-lines.ts';

const unsupportedResult: OperationResultWire = { code: -3 };

/** The rules of contract operations, which this ledger does not support. */
const unsupported: OperationRules = {
  threshold: () => 'medium',
  blank: unsupportedResult,
  supported: false,
  check: () => unsupportedResult,
  apply: () => ({ successful: false, result: unsupportedResult }),
};

/** The operations, in the order of `OperationType`. */
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

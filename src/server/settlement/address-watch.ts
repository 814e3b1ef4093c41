import type { PaymentSettlements } from '../payments/settling/payment-settlement.service.ts';
import type { Sweep } from '../platform/jobs/sweeper.ts';
import type { Merchant } from '../platform/merchant.ts';

interface AddressWatchDeps {
  readonly payments: Pick<PaymentSettlements, 'countAwaitingAddress'>;
  readonly findFirstMerchant: () => Promise<Pick<Merchant, 'stellarAddress' | 'settlementSchedule'> | null>;
}

/**
 * Reports whether the first merchant lacks a settlement account although its schedule is `automatic`. Also reports how
 * many payments wait for an account.
 */
export function createAddressWatch({ payments, findFirstMerchant }: AddressWatchDeps) {
  let remark: string | null = null;
  const sweep: Sweep = {
    name: 'settlements.addresses',
    everyMs: 15_000,
    run: async () => {
      const [first, waiting] = await Promise.all([findFirstMerchant(), payments.countAwaitingAddress()]);
      const isMissing = first?.stellarAddress === null && first.settlementSchedule === 'automatic';
      remark = isMissing || waiting > 0 ? `settlement: ${missingAddress(waiting)}` : null;
      return 0;
    },
  };
  return { sweep, remarks: () => (remark === null ? [] : [remark]) };
}

/** The message that no account is set, with the number of payments that wait for it. */
function missingAddress(waiting: number): string {
  const payments = waiting === 0 ? 'payments wait' : waiting === 1 ? '1 payment waits' : `${waiting} payments wait`;
  return `no Stellar account is set (settlement.stellar_address), ${payments} for it`;
}

import { parseCurrency } from '../../core/currency.ts';
import type { PaymentSettlements } from '../payments/settling/payment-settlement.service.ts';
import type { Sweep } from '../platform/jobs/sweeper.ts';
import type { Merchant } from '../platform/merchant.ts';

type First = Pick<Merchant, 'stellarAddress' | 'settlementAsset' | 'settlementSchedule'>;

interface AddressWatchDeps {
  readonly payments: Pick<PaymentSettlements, 'countAwaitingAddress'>;
  readonly findFirstMerchant: () => Promise<First | null>;
}

/**
 * Reports whether the first merchant settles automatically in an asset but has no account for it. Also reports how many
 * payments wait for an account.
 */
export function createAddressWatch({ payments, findFirstMerchant }: AddressWatchDeps) {
  let remark: string | null = null;
  const sweep: Sweep = {
    name: 'settlements.addresses',
    everyMs: 15_000,
    run: async () => {
      const [first, waiting] = await Promise.all([findFirstMerchant(), payments.countAwaitingAddress()]);
      const isMissing = first?.stellarAddress === null && settlesOnStellar(first);
      remark = isMissing || waiting > 0 ? `settlement: ${missingAddress(waiting)}` : null;
      return 0;
    },
  };
  return { sweep, remarks: () => (remark === null ? [] : [remark]) };
}

/** Settlements in a currency go to a bank account or a wallet instead. */
const settlesOnStellar = ({ settlementAsset, settlementSchedule }: Omit<First, 'stellarAddress'>) =>
  settlementSchedule === 'automatic' && parseCurrency(settlementAsset) === null;

/** The message that no account is set, with the number of payments that wait for it. */
function missingAddress(waiting: number): string {
  const payments = waiting === 0 ? 'payments wait' : waiting === 1 ? '1 payment waits' : `${waiting} payments wait`;
  return `no Stellar account is set (settlement.stellar_address), ${payments} for it`;
}

import { Type } from 'typebox';
import { Nullable, OneOf, Timestamp } from '../schema.ts';

/** How and where the merchant receives the money of a payment. `amount` is decimal text of `asset`. */
export const PaymentSettlement = Type.Object({
  status: OneOf(['none', 'pending', 'submitted', 'settled', 'failed'], {
    description:
      '`none`: nothing is to be settled, or the money is kept in the balance. `submitted`: it is on its way, or waits in a ' +
      'settlement in a currency.',
  }),
  asset: Type.String(),
  amount: Nullable(Type.String()),
  payout: Nullable(
    Type.String(),
    'Id of the payout that paid it, for settlement in a currency; null before the payout has ended, and on Stellar.',
  ),
  settlement: Type.Optional(
    Type.String({
      description:
        'Id of the newest settlement in a currency that contains its money, once there is one. Only where the merchant ' +
        'reads payments.',
      examples: ['set_3kTMd0PpC1hJ6nLq2uXs9B'],
    }),
  ),
  due_at: Type.Optional(
    Nullable(Timestamp, 'When that settlement is paid out, while it is open; null after. Only beside `settlement`.'),
  ),
  tx_hash: Nullable(
    Type.String(),
    'Transaction on Stellar that paid it. For settlement in a currency, the transaction in which the service converted ' +
      'the payer’s crypto; null while there is none, and if nothing was converted.',
  ),
  ledger: Nullable(Type.Integer(), 'Ledger of `tx_hash`.'),
  delivery: Nullable(
    OneOf(['payment', 'claimable_balance']),
    '`claimable_balance`: the account could not receive the asset, so the amount waits on the ledger. Claim it there.',
  ),
  failure: Nullable(
    Type.Object({ code: Type.String(), message: Type.String() }),
    'Why the settlement was not delivered. It is retried unless `status` is `failed`.',
  ),
});

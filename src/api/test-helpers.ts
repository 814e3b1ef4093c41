import { type Static, Type } from 'typebox';
import { balanceSum } from './balance/balance.ts';
import { Amount, Closed, Currency, Nullable, OneOf, Timestamp } from './schema.ts';
import { Transfer } from './transfer.ts';

/** Body of `POST /v1/test_helpers/bank_transfers`, which simulates a transfer to the sandbox bank. */
export const TestBankTransfer = Closed({
  reference: Type.Optional(
    Type.String({ maxLength: 200, description: 'The remittance text. Default: the transfer has none.' }),
  ),
  amount: Amount,
  currency: Currency,
  sender_name: Type.Optional(Type.String({ maxLength: 100 })),
  bank_reference: Type.Optional(
    Type.String({ maxLength: 100, description: 'The bank’s id of the transfer. A repeated id is the same transfer.' }),
  ),
});
export type TestBankTransfer = Static<typeof TestBankTransfer>;

/**
 * Body of `POST /v1/payments/:id/simulate_bank_transfer`, which simulates the payer's bank. Default of `amount`: the
 * remaining amount.
 */
export const SimulateBankTransfer = Closed({ amount: Type.Optional(Amount) });

/** Body of `POST /v1/test_helpers/deposits`, which sends crypto by a real transaction on the sandbox ledger. */
export const TestDeposit = Closed({
  chain: Type.String({ maxLength: 40, description: '`stellar`.' }),
  address: Type.String({ maxLength: 120, description: 'G… or M….' }),
  memo: Type.Optional(Type.String({ maxLength: 64 })),
  memo_type: Type.Optional(
    OneOf(['text', 'id', 'hash', 'return'], { description: 'Default: `id` for digits, otherwise `text`.' }),
  ),
  asset: Type.String({ maxLength: 80, description: 'XLM, an asset code of the sandbox, or CODE:ISSUER.' }),
  amount: Type.String({ maxLength: 30, description: 'Decimal text.' }),
  confirmations: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1, description: 'Always 1: ledgers of Stellar are final.' }),
  ),
});
export type TestDeposit = Static<typeof TestDeposit>;

/** Body of `POST /v1/test_helpers/cards/disputes`, which simulates a dispute of a charge by the cardholder. */
export const TestDispute = Closed({
  payment: Type.String({ maxLength: 64 }),
  amount: Type.Optional(Amount),
  reason: Type.Optional(
    OneOf([
      'fraudulent',
      'duplicate',
      'product_not_received',
      'product_unacceptable',
      'credit_not_processed',
      'subscription_canceled',
      'unrecognized',
      'general',
    ]),
  ),
});
export type TestDispute = Static<typeof TestDispute>;

/** Body of `POST /v1/test_helpers/mobile_money`, which simulates the payer's answer to a phone prompt. */
export const TestPhoneAnswer = Closed({
  payment: Type.String({ maxLength: 64 }),
  outcome: OneOf(['approve', 'refuse', 'silence'], {
    description: '`silence`: the prompt ends at once without an answer, as it does after its time.',
  }),
});
export type TestPhoneAnswer = Static<typeof TestPhoneAnswer>;

/** Body of `POST /v1/test_helpers/ramps/:id`. */
export const TestRamp = Closed({
  status: OneOf(['pending_user_transfer_start', 'pending_anchor', 'completed', 'on_hold', 'refunded', 'expired'], {
    description: 'The state to reach. `completed` pays first, if the customer has not paid.',
  }),
});
export type TestRamp = Static<typeof TestRamp>;

/** Body of `POST /v1/test_helpers/clock`. */
export const AdvanceClock = Closed({
  advance: Type.String({ maxLength: 40, description: 'ISO 8601 duration: P3D, PT15M.' }),
});
export type AdvanceClock = Static<typeof AdvanceClock>;

/** The merchant's test clock. Expiry of test objects and retries of webhooks follow its time. */
export const TestClock = Type.Object({ object: Type.Literal('test_clock'), now: Timestamp });

/** Body of `POST /v1/test_helpers/fund`: an integer amount with `currency`, or decimal text with `asset`. */
export const FundBalance = Closed(balanceSum);
export type FundBalance = Static<typeof FundBalance>;

/** Answer of `POST /v1/test_helpers/deposits`. */
export const TestDepositMade = Type.Object({
  object: Type.Literal('test_deposit'),
  chain: Type.String(),
  tx_hash: Type.String(),
  ledger: Type.Integer(),
  transfer: Nullable(Transfer, 'The transfer that the service received; null when the address is not the service’s.'),
});

import { type Static, Type } from 'typebox';
import { Nullable, OneOf } from './schema.ts';

/** The treasury's holding of an asset, in the events `treasury.low`, `treasury.frozen` and `treasury.clawed_back`. */
export const TreasuryBalance = Type.Object({
  id: Type.String({ description: 'Combines account and asset.' }),
  object: Type.Literal('treasury'),
  account: Type.String({ description: 'G…' }),
  asset: Type.String({ description: 'XLM or CODE:ISSUER.' }),
  spendable: Type.String({ description: 'Decimal text, 7 decimals.' }),
  floor: Type.String({ description: 'Minimum balance, decimal text.' }),
  authorized: Type.Boolean({ description: 'False: the issuer has frozen the balance.' }),
  clawed_back: Nullable(Type.String(), 'Amount that the issuer has taken back (CAP-35), decimal text.'),
  livemode: Type.Boolean(),
});
export type TreasuryBalance = Static<typeof TreasuryBalance>;

/**
 * Channel accounts of the treasury whose sequence numbers are ahead of the database. Part of the event
 * `treasury.out_of_step`.
 */
export const TreasuryChannels = Type.Object({
  id: Type.String({ description: 'Combines account and code.' }),
  object: Type.Literal('treasury_channels'),
  account: Type.String({ description: 'G…' }),
  channels: Type.Array(
    Type.Object({
      account: Type.String({ description: 'G…' }),
      sequence: Type.String({ description: 'Last sequence number on the network.' }),
      known_sequence: Type.String({ description: 'Last sequence number that the database accounts for.' }),
    }),
  ),
  resume_code: Type.String({
    description: 'Set PAY_TREASURY_RESUME to this value to allow outgoing transactions again.',
  }),
  livemode: Type.Boolean(),
});
export type TreasuryChannels = Static<typeof TreasuryChannels>;

/** The state of the treasury: its assets, its channels, and waiting transfers. For the operator's people. */
export const TreasuryHealth = Type.Object({
  object: Type.Literal('treasury_health'),
  account: Type.String({ description: 'The treasury’s account, G….' }),
  balances: Type.Array(
    Type.Object({
      asset: Type.String({ description: 'XLM or CODE:ISSUER.' }),
      spendable: Type.String({ description: 'Decimal text, 7 decimals.', examples: ['812.4000000'] }),
      committed: Type.String({
        description: 'What queued and running transfers may take, decimal text.',
        examples: ['40.0000000'],
      }),
      authorized: Type.Boolean({ description: 'False: the issuer has frozen the balance.' }),
      low: Type.Boolean({ description: 'Whether the balance fell below its floor.' }),
      seen_at: Type.String({ format: 'date-time', description: 'When the server last read the balance.' }),
    }),
    { description: 'The balances at the last reading.' },
  ),
  channels: Type.Object(
    {
      total: Type.Integer({ minimum: 0, description: 'Accounts that send transactions side by side.' }),
      sending: Type.Integer({ minimum: 0, description: 'Channels with a transaction under way.' }),
    },
    { description: 'The channel accounts.' },
  ),
  waiting: Type.Array(
    Type.Object({
      state: OneOf(['queued', 'held'], { description: '`held`: it waits until its reason ends.' }),
      reason: Nullable(Type.String(), 'Error code of the reason; null: it is about to be sent.'),
      count: Type.Integer({ minimum: 1 }),
      oldest_seconds: Type.Integer({ minimum: 0, description: 'Age of the oldest transfer.' }),
    }),
    { description: 'Transfers that have not left, by reason.' },
  ),
  remarks: Type.Array(Type.String(), {
    description: 'Faults for the operator to fix, as this process sees them.',
    examples: [['channels: 2 of 8 are missing']],
  }),
  livemode: Type.Boolean(),
});
export type TreasuryHealth = Static<typeof TreasuryHealth>;

/** Events of the service's own account, and the object that each carries. */
export interface TreasuryEvents {
  'treasury.low': TreasuryBalance;
  'treasury.frozen': TreasuryBalance;
  'treasury.clawed_back': TreasuryBalance;
  'treasury.out_of_step': TreasuryChannels;
}

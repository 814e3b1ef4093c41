import { type Static, Type } from 'typebox';
import { Nullable } from './schema.ts';

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
 * Channel accounts of the treasury whose sequence numbers are ahead of the database, in the event
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

/** Events of the service's own account, and the object that each carries. */
export interface TreasuryEvents {
  'treasury.low': TreasuryBalance;
  'treasury.frozen': TreasuryBalance;
  'treasury.clawed_back': TreasuryBalance;
  'treasury.out_of_step': TreasuryChannels;
}

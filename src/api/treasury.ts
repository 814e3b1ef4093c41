import { type Static, Type } from 'typebox';
import { Nullable } from './schema.ts';

/** The treasury's holding of an asset, in the events `treasury.low`, `treasury.frozen` and `treasury.clawed_back`. */
export const TreasuryBalance = Type.Object({
  id: Type.String({ description: 'Account and asset.' }),
  object: Type.Literal('treasury'),
  account: Type.String({ description: 'G…' }),
  asset: Type.String({ description: 'XLM or CODE:ISSUER.' }),
  spendable: Type.String({ description: 'Decimal text, 7 decimals.' }),
  floor: Type.String({ description: 'The least that should be there, decimal text.' }),
  authorized: Type.Boolean({ description: 'False: the issuer has frozen it.' }),
  clawed_back: Nullable(Type.String(), 'What the issuer has just taken back (CAP-35), decimal text.'),
  livemode: Type.Boolean(),
});
export type TreasuryBalance = Static<typeof TreasuryBalance>;

/**
 * Channel accounts of the treasury whose sequence numbers are ahead of the database, in the event
 * `treasury.out_of_step`.
 */
export const TreasuryChannels = Type.Object({
  id: Type.String({ description: 'Account and code.' }),
  object: Type.Literal('treasury_channels'),
  account: Type.String({ description: 'G…' }),
  channels: Type.Array(
    Type.Object({
      account: Type.String({ description: 'G…' }),
      sequence: Type.String({ description: 'The last number that the network has of it.' }),
      known_sequence: Type.String({ description: 'The last number that the database explains.' }),
    }),
  ),
  resume_code: Type.String({ description: 'PAY_TREASURY_RESUME with this value lets money leave again.' }),
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

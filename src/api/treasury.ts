import { type Static, Type } from 'typebox';
import { Nullable } from './schema.ts';

/** What the service's own account holds of an asset, as the events `treasury.low`, `treasury.frozen` and `treasury.clawed_back` tell the operator. */
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

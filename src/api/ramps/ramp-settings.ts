import { type Static, Type } from 'typebox';
import { KycTier } from '../kyc/kyc.ts';
import type { PaymentMethod } from '../payment.ts';
import { Amount, Closed, Country, Currency, Nullable, OneOf } from '../schema.ts';

/** Who decides about the identities of an account's customers. */
const KycMode = OneOf(['service', 'platform'], {
  description:
    '`service`: the provider and your staff check customers. `platform`: you say by API who is approved ' +
    '(`PUT /v1/customers/:id/kyc` with `status`).',
});

/** The methods by which customers pay for coins, or get money for them. */
export const RampMethod = OneOf(['card', 'bank_transfer', 'mobile_money'] satisfies Static<typeof PaymentMethod>[], {
  description: 'How the customer pays, or gets the money: by `bank_transfer` or `mobile_money`.',
});
export type RampMethod = Static<typeof RampMethod>;

const RampAsset = Type.String({
  minLength: 1,
  maxLength: 70,
  description: 'XLM, CODE:ISSUER, or a well-known code, as the server lists it.',
  examples: ['USDC'],
});

/** A fee. The first rule that names the asset, method and currency of a ramp counts. Without a rule, the ramp is free. */
export const RampFee = Closed({
  asset: Type.Optional(Nullable(RampAsset, 'Absent: every asset.')),
  method: Type.Optional(Nullable(RampMethod, 'Absent: every method.')),
  currency: Type.Optional(Nullable(Currency, 'Absent: every currency. A fixed fee needs one.')),
  percent: Type.Number({
    minimum: 0,
    maximum: 50,
    description: 'Share of the money in percent, with at most two decimals.',
    examples: [1.5],
  }),
  fixed: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 1_000_000_000, description: 'In minor units of `currency`.' }),
  ),
});
export type RampFee = Static<typeof RampFee>;

/**
 * The most that a customer may ramp. With rules, each ramp must fit one whose tier the customer has. Without rules,
 * nothing is limited.
 */
export const RampLimit = Closed({
  tier: Type.Optional(Nullable(KycTier, 'The identity check that the customer must have passed. Absent: none.')),
  country: Type.Optional(Nullable(Country, 'The country of the customer’s address. Absent: every country.')),
  currency: Currency,
  per_transaction: Type.Optional(Nullable(Amount, 'In minor units of `currency`.')),
  per_day: Type.Optional(Nullable(Amount, 'In the last 24 hours.')),
  per_month: Type.Optional(Nullable(Amount, 'In the last 30 days.')),
});
export type RampLimit = Static<typeof RampLimit>;

const RampLateMoney = OneOf(['market', 'refund', 'wait'], {
  description:
    'What happens with money or coins that arrive after the price has ended. `market`: the market rate counts. ' +
    '`refund`: it goes back. `wait`: you decide.',
});

const settings = {
  enabled: Type.Boolean({ description: 'Whether customers can ramp.' }),
  assets: Type.Array(RampAsset, {
    maxItems: 20,
    uniqueItems: true,
    description: 'The assets that customers buy and sell.',
  }),
  methods: Type.Array(RampMethod, {
    maxItems: 3,
    uniqueItems: true,
    description: 'How customers may pay, or get their money.',
  }),
  fees: Type.Array(RampFee, { maxItems: 100, description: 'The first rule that fits a ramp counts.' }),
  limits: Type.Array(RampLimit, {
    maxItems: 100,
    description: 'With rules, each ramp must fit one whose tier the customer has passed.',
  }),
  late_money: RampLateMoney,
};

/** The account's rules for ramps, without `kyc`. */
export const RampTerms = Type.Object(settings);
export type RampTerms = Static<typeof RampTerms>;

/** `ramps` of the account. */
export const RampSettings = Type.Object({ ...settings, kyc: KycMode });

/** Changes of `ramps`. Only given fields change. */
export const UpdateRampSettings = Closed({
  enabled: Type.Optional(settings.enabled),
  assets: Type.Optional(settings.assets),
  methods: Type.Optional(settings.methods),
  fees: Type.Optional(settings.fees),
  limits: Type.Optional(settings.limits),
  late_money: Type.Optional(settings.late_money),
  kyc: Type.Optional(KycMode),
});
export type UpdateRampSettings = Static<typeof UpdateRampSettings>;

import { type Static, Type } from 'typebox';
import { Closed, Nullable, OneOf, Timestamp } from './schema.ts';

/** An amount of an on-chain asset as decimal text. On Stellar, it has up to 7 decimals. */
export const AssetAmount = Type.String({ description: 'Decimal text, for example 12.3456789.' });

const AssetName = Type.String({ description: 'XLM or CODE:ISSUER on Stellar.' });

/** The Stellar networks, by their names in wallets. The sandbox has testnet's passphrase, so it is also TESTNET. */
export const StellarNetworkName = OneOf(['TESTNET', 'PUBLIC']);
export type StellarNetworkName = Static<typeof StellarNetworkName>;

/** An asset that the payer may send. Part of the answer of `GET /v1/payments/:id/options`. */
export const CryptoAssetOption = Type.Object({
  chain: Type.String({ description: '`stellar`.' }),
  chain_name: Type.String({ description: 'Display name: Stellar.' }),
  asset: AssetName,
  amount: AssetAmount,
  rate: Type.String({ description: 'Units of this asset per whole unit of the payment’s currency.' }),
  network_fee: Type.String({ description: 'Estimated network fee, in XLM.' }),
  confirmations: Type.Integer({ minimum: 1, description: 'Confirmations until the payment is final.' }),
  eta_seconds: Type.Integer({ minimum: 0, description: 'Estimated seconds from sending until the payment is final.' }),
  wallets: Type.Array(Type.String(), {
    description: '`freighter` (browser extension), `sep7` (link and QR code for any Stellar wallet).',
  }),
  network: Type.Optional(StellarNetworkName),
  network_passphrase: Type.Optional(Type.String({ description: 'The network passphrase that wallets sign with.' })),
});
export type CryptoAssetOption = Static<typeof CryptoAssetOption>;

/**
 * An asset that the payer holds, and the payment's cost in it: expected (`amount`) and with slippage (`amount_max`).
 */
export const PayerHolding = Type.Object({
  asset: AssetName,
  balance: Type.String({ description: 'Spendable balance, without reserves and open offers.' }),
  amount: Nullable(AssetAmount, 'Null: no conversion path to the asset to be paid.'),
  amount_max: Nullable(AssetAmount),
  path: Type.Array(AssetName, { description: 'Intermediate assets of the conversion.' }),
});
export type PayerHolding = Static<typeof PayerHolding>;

/** The holdings of the payer's account. Part of the answer of `GET /v1/payments/:id/options?payer_address=G…`. */
export const PayerWallet = Type.Object({
  address: Type.String(),
  problem: Nullable(OneOf(['account_missing', 'wrong_address'])),
  assets: Type.Array(PayerHolding),
});
export type PayerWallet = Static<typeof PayerWallet>;

/** The address, asset and amount for the payer to send. Part of `next_action`. */
export const CryptoTransfer = Type.Object({
  type: Type.Literal('crypto_transfer'),
  chain: Type.String(),
  asset: AssetName,
  address: Type.String({ description: 'Muxed address (M…, SEP-23) of this payment alone.' }),
  base_address: Nullable(
    Type.String(),
    'The account of `address` (G…), for wallets without muxed addresses. Requires `memo`.',
  ),
  memo: Nullable(Type.String(), 'Required with `base_address`; not needed with a muxed `address`.'),
  memo_type: Nullable(OneOf(['id', 'text', 'hash', 'destination_tag'])),
  amount: Type.String({ description: 'Remaining amount to send, decimal text.' }),
  amount_received: Type.String({
    description: 'Received amount of `asset`, decimal text; 0 before the first transfer.',
  }),
  uri: Nullable(Type.String(), 'Signed SEP-7 link (web+stellar:pay?…).'),
  qr: Nullable(Type.Object({ format: Type.String({ description: '`sep7`.' }), payload: Type.String() })),
  confirmations: Type.Integer({ minimum: 0, description: 'Confirmations of the last transfer seen.' }),
  required_confirmations: Type.Integer({ minimum: 1 }),
  expires_at: Timestamp,
});
export type CryptoTransfer = Static<typeof CryptoTransfer>;

/** Body of `POST /v1/payments/:id/wallet_transactions`: the payer's account and the asset that this account spends. */
export const CreateWalletTransaction = Closed({
  chain: Type.String({ maxLength: 40 }),
  address: Type.String({ maxLength: 120 }),
  asset: Type.String({ maxLength: 80 }),
});
export type CreateWalletTransaction = Static<typeof CreateWalletTransaction>;

/** An unsigned path payment (strict receive) from the payer's account, for a wallet to sign. */
export const WalletTransaction = Type.Object({
  id: Type.String({ description: 'wtx_…' }),
  object: Type.Literal('wallet_transaction'),
  chain: Type.String(),
  address: Type.String({ description: "The payer's account." }),
  asset: AssetName,
  amount: AssetAmount,
  amount_max: Type.String({ description: 'Maximum; the network refuses the payment if it would cost more.' }),
  slippage_percent: Type.String({ description: 'Percentage by which `amount_max` exceeds `amount`, decimal text.' }),
  destination_asset: AssetName,
  destination_amount: Type.String({ description: 'Exact amount that arrives, decimal text.' }),
  path: Type.Array(AssetName),
  network_passphrase: Type.Optional(Type.String()),
  network: Type.Optional(StellarNetworkName),
  envelope_xdr: Type.String({ description: 'Base64 of the TransactionEnvelope without signatures.' }),
  expires_at: Timestamp,
});
export type WalletTransaction = Static<typeof WalletTransaction>;

/** Body of `POST /v1/payments/:id/wallet_transactions/:wtx/submit`. The answer is the public payment. */
export const SubmitWalletTransaction = Closed({
  signed_envelope_xdr: Type.String({ minLength: 1, maxLength: 20_000 }),
});
export type SubmitWalletTransaction = Static<typeof SubmitWalletTransaction>;

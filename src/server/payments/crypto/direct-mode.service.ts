import type { CreatePayment } from '../../../api/payment.ts';
import { PayError } from '../../../core/error.ts';
import type { Caller } from '../../platform/http/access/caller.ts';
import type { PaymentDeps } from '../payment-deps.ts';
import { assertReceives, cryptoRails } from './crypto-price.service.ts';

/**
 * Refuses a payment in direct mode that could not be paid: its Stellar payers pay straight into the merchant's own
 * account, which must be a plain one (the tag of the payment is put into its muxed form), exist, and take the asset.
 * Cards and banks of the same payment are settled as ever. Throws PayError naming `settlement_mode` or
 * `settlement_address`.
 */
export async function assertDirectMode(
  deps: Pick<PaymentDeps, 'crypto' | 'rates'>,
  caller: Caller,
  body: CreatePayment,
  asset: string,
): Promise<void> {
  if (body.settlement_mode !== 'direct' || !body.payment_methods.includes('crypto')) return;
  const [rail] = cryptoRails(deps, caller.livemode);
  if (rail === undefined) {
    throw new PayError('parameter_invalid', 'Direct mode needs a chain on which this server is paid.', {
      param: 'settlement_mode',
    });
  }
  const address = body.settlement_address ?? caller.merchant.stellarAddress;
  if (address === null) {
    throw new PayError('parameter_missing', 'Direct mode needs the account that is paid: settlement_address.', {
      param: 'settlement_address',
    });
  }
  if (!rail.chain.isBaseAddress(address) || address === rail.account) {
    throw new PayError('invalid_address', 'In direct mode settlement_address is an account of your own (G…).', {
      param: 'settlement_address',
    });
  }
  await assertReceives(rail, address, asset);
}

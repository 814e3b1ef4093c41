import { setTimeout as sleep } from 'node:timers/promises';
import { Type } from 'typebox';
import { Payment } from '../../../api/payment.ts';
import { SimulateBankTransfer, TestDeposit, TestDepositMade } from '../../../api/test-helpers.ts';
import { PayError } from '../../../core/error.ts';
import { parseUnits } from '../../../core/money.ts';
import { unitOf } from '../../../core/unit.ts';
import type { ChainDestination, CryptoRail } from '../../chains/chain.ts';
import { callerOf } from '../../platform/http/access/caller.ts';
import { developers } from '../../platform/http/access/roles.ts';
import type { HttpApp } from '../../platform/http/http-app.ts';
import { receiveCredits } from '../bank/bank-credit.service.ts';
import { cryptoRail } from '../crypto/crypto-price.service.ts';
import { readAccountNow } from '../crypto/deposit-watch.service.ts';
import { transferToWire, viewFor } from '../payment.view.ts';
import type { PaymentRouteDeps } from '../payment-deps.ts';
import { readPayment } from '../payment-lifecycle.service.ts';
import type { TransferRow } from '../tables.ts';
import { findOnChain } from '../transfer.store.ts';

/** Simulates a payer's bank transfer in the sandbox. */
export interface SandboxPayer {
  transfer(credit: {
    readonly rail: string;
    readonly merchantId: string;
    readonly reference: string;
    readonly amount: bigint;
    readonly currency: string;
    readonly now: Date;
  }): Promise<void>;
}

/** Limits the simulated amount to a multiple of the due amount. Testers may overpay on purpose. */
const largestMultiple = 10n;
const tags = ['Test helpers'];

/** The "simulate my bank" button of the checkout. In test mode, payers can let the sandbox bank pay. */
export function registerPaymentTestRoutes(app: HttpApp, deps: PaymentRouteDeps, payer: SandboxPayer): void {
  app.post(
    '/v1/payments/:id/simulate_bank_transfer',
    {
      schema: {
        params: Type.Object({ id: Type.String({ maxLength: 64 }) }),
        body: SimulateBankTransfer,
        response: { 200: Payment },
        tags,
        summary: 'Pay a waiting bank transfer at the sandbox bank',
        description:
          'Test mode only. `amount` is in the smallest unit of the instructions’ currency. Default: the amount due.',
      },
      config: { access: 'payer', scope: 'payments:write', roles: [...developers, 'finance'] },
    },
    (request, reply) =>
      deps.once(request, reply, async () => {
        const caller = callerOf(request);
        if (caller.livemode) throw new PayError('test_mode_only', 'Banks are simulated in test mode only.');
        const payment = await readPayment(deps, caller, request.params.id);
        const action = payment.next_action;
        const rail = deps.rails.banks.find(bank => bank.id === payment.bank_rail);
        if (action?.type !== 'bank_instructions' || !rail) {
          const message = 'The payment does not wait for a bank transfer. Confirm it with method bank_transfer first.';
          throw new PayError('illegal_state', message);
        }
        const amount = BigInt(request.body.amount ?? action.amount);
        if (amount > BigInt(action.amount) * largestMultiple) {
          const message = `At most ${largestMultiple} times what is due can be simulated.`;
          throw new PayError('invalid_amount', message, { param: 'amount' });
        }
        const { reference, currency } = action;
        const { merchant, now } = caller;
        await payer.transfer({ rail: rail.id, merchantId: merchant.id, reference, amount, currency, now });
        await receiveCredits(deps, rail);
        return { status: 200, body: viewFor(deps, caller, await readPayment(deps, caller, request.params.id)) };
      }),
  );
}

/** A sender of crypto on a sandbox chain. Throws a PayError for a transfer that the chain rejects. */
interface SandboxSender {
  pay(payment: {
    readonly destination: ChainDestination;
    readonly asset: string;
    readonly amount: bigint;
  }): Promise<{ readonly hash: string; readonly ledger: number }>;
}

/** `POST /v1/test_helpers/deposits`: sends crypto to a payment. */
export function registerDepositTestRoutes(app: HttpApp, deps: PaymentRouteDeps, sender: SandboxSender): void {
  app.post(
    '/v1/test_helpers/deposits',
    {
      schema: {
        body: TestDeposit,
        response: { 201: TestDepositMade },
        tags,
        summary: 'Send a crypto payment as the payer',
        description:
          'Test mode only. Makes a real transaction on the sandbox network and waits for it. Returns the transfer that the ' +
          'service received.',
      },
      config: { access: 'test', scope: 'test_helpers:write' },
    },
    (request, reply) =>
      deps.once(request, reply, async () => {
        const { merchant, livemode } = callerOf(request);
        const rail = cryptoRail(deps, request.body.chain, livemode);
        const { hash, ledger } = await sender.pay(paymentOf(deps, rail, request.body));
        const seen = await seenTransfer(deps, rail, { merchantId: merchant.id, hash, address: request.body.address });
        const transfer = seen === null ? null : transferToWire(seen);
        const body = { object: 'test_deposit', chain: rail.chain.id, tx_hash: hash, ledger, transfer };
        return { status: 201, body };
      }),
  );
}

function paymentOf(deps: PaymentRouteDeps, { chain }: CryptoRail, body: TestDeposit) {
  const asset = deps.rates.unit(body.asset, 'asset');
  const amount = parseUnits(body.amount, unitOf(asset).decimals);
  if (amount === null || amount === 0n) {
    const message = `amount takes decimal text with at most ${unitOf(asset).decimals} decimals.`;
    throw new PayError('invalid_amount', message, { param: 'amount' });
  }
  const { address, memo, memo_type } = body;
  const written = { address, ...(memo !== undefined && { memo }), ...(memo_type !== undefined && { memo_type }) };
  return { destination: chain.destination(written), asset, amount };
}

const looks = 20;
const pauseMs = 50;

/** The booked transfer of the transaction. Another process may read the account, so the booking may take time. */
async function seenTransfer(
  deps: PaymentRouteDeps,
  rail: CryptoRail,
  sent: { readonly merchantId: string; readonly hash: string; readonly address: string },
): Promise<TransferRow | null> {
  const account = rail.chain.receive.accountOf(sent.address);
  for (let look = 0; look < looks; look++) {
    if (look > 0) await sleep(pauseMs);
    const isWatched = await readAccountNow(deps, rail, account);
    const transfer = await findOnChain(deps.db, sent.merchantId, rail.chain.id, sent.hash);
    if (transfer !== null || !isWatched) return transfer;
  }
  return null;
}

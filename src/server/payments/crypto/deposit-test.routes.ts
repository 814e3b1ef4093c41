import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { TestDeposit, TestDepositMade } from '../../../api/test-helpers.ts';
import { PayError } from '../../../core/error.ts';
import { parseUnits } from '../../../core/money.ts';
import type { CryptoRail } from '../../chains/chain.ts';
import { callerOf } from '../../platform/http/access/caller.ts';
import { rateUnit } from '../../rates/rates.ts';
import { transferToWire } from '../payment.view.ts';
import type { PaymentRouteDeps } from '../payment-deps.ts';
import { findOnChain, type TransferRow } from '../transfers/transfer.store.ts';
import { cryptoRail } from './crypto-price.service.ts';
import { readAccountNow } from './deposit-watch.service.ts';

/** A sender of crypto on a sandbox chain. Throws a PayError for a transfer that the chain refuses. */
export interface SandboxSender {
  pay(payment: {
    readonly address: string;
    readonly asset: string;
    readonly amount: bigint;
    readonly memo?: string;
    readonly memoType?: 'text' | 'id' | 'hash' | 'return';
  }): Promise<{ readonly hash: string; readonly ledger: number }>;
}

/** `POST /v1/test_helpers/deposits`: sends crypto to a payment. */
export function registerDepositTestRoutes(app: FastifyInstance, deps: PaymentRouteDeps, sender: SandboxSender): void {
  app.post<{ Body: TestDeposit }>(
    '/v1/test_helpers/deposits',
    {
      schema: {
        body: TestDeposit,
        response: { 201: TestDepositMade },
        tags: ['Test helpers'],
        summary: 'Let somebody pay on a chain',
        description:
          'Test mode only. A real transaction on the sandbox network, waited for; answers what the service made of it.',
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
  const asset = rateUnit(deps.rates.asset(body.asset, 'asset'));
  const amount = parseUnits(body.amount, chain.decimals(asset));
  if (amount === null || amount === 0n) {
    throw new PayError('invalid_amount', `amount takes decimal text with at most ${chain.decimals(asset)} decimals.`, {
      param: 'amount',
    });
  }
  if (!chain.isAddress(body.address)) {
    throw new PayError('invalid_address', `This is no address on ${chain.name}.`, { param: 'address' });
  }
  const { address, memo } = body;
  if (memo === undefined) return { address, asset, amount };
  return { address, asset, amount, memo, memoType: body.memo_type ?? (/^[0-9]+$/.test(memo) ? 'id' : 'text') } as const;
}

const looks = 20;
const pauseMs = 50;

/**
 * The transfer that the service booked for the transaction. Another process may read the account, so this can take a
 * moment.
 */
async function seenTransfer(
  deps: PaymentRouteDeps,
  rail: CryptoRail,
  sent: { readonly merchantId: string; readonly hash: string; readonly address: string },
): Promise<TransferRow | null> {
  const account = rail.chain.baseAddressOf(sent.address);
  for (let look = 0; look < looks; look++) {
    if (look > 0) await sleep(pauseMs);
    const isWatched = await readAccountNow(deps, rail, account);
    const transfer = await findOnChain(deps.db, sent.merchantId, rail.chain.id, sent.hash);
    if (transfer !== null || !isWatched) return transfer;
  }
  return null;
}

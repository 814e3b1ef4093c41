import type { FastifyInstance } from 'fastify';
import type { Clock } from '../../core/clock.ts';
import { newId } from '../../core/id.ts';
import { createSandboxBank } from '../../sandbox/bank.ts';
import { createSandboxCardAcquirer } from '../../sandbox/card-acquirer.ts';
import { createSandboxRates } from '../../sandbox/rates.ts';
import { registerSandboxHelpers } from '../../sandbox/sandbox-controls.routes.ts';
import { registerSandboxPages } from '../../sandbox/sandbox-pages.routes.ts';
import { createSandboxStellar, labelledKey, payAsAsked } from '../../sandbox/stellar/index.ts';
import { receiveCredits } from '../payments/bank/bank-credit.service.ts';
import { registerPaymentTestRoutes } from '../payments/bank/bank-test.routes.ts';
import { findCharge, openDispute } from '../payments/card/dispute.service.ts';
import { registerDepositTestRoutes } from '../payments/crypto/deposit-test.routes.ts';
import { merchantToWire, paymentToWire, transferToWire } from '../payments/payment.view.ts';
import type { PaymentRouteDeps } from '../payments/payment-deps.ts';
import { findTransfer } from '../payments/transfers/transfer.store.ts';
import type { Database } from '../platform/db/database.ts';
import type { Live } from '../platform/events/live.ts';
import { type ChangeNotice, changeChannel } from '../platform/events/outbox.ts';
import type { Once } from '../platform/http/idempotency/idempotent-execution.ts';
import type { Log } from '../platform/logging.ts';
import type { Config } from '../settings/config.ts';

/** What the outside world of test mode stands on. */
export interface SandboxDeps {
  readonly config: Pick<Config, 'sandboxLedgerMs'>;
  readonly database: Database;
  readonly clock: Clock;
  readonly live: Pick<Live, 'subscribe'>;
  readonly log: Log;
  readonly publicUrl: () => string;
}

/** What the servers of one database tell each other of the sandbox’s Stellar network. */
const stellarNotice: ChangeNotice = { merchantId: 'sandbox', resourceId: 'stellar' };

/** The outside world of test mode. */
export type Sandbox = ReturnType<typeof createSandbox>;

/** Makes the outside world of test mode: a card acquirer, banks, a market, a Stellar network. */
export function createSandbox({ config, database: { db }, clock, live, log, publicUrl }: SandboxDeps) {
  const rates = createSandboxRates(clock);
  const stellar = createSandboxStellar({
    ...{ db, clock, rates, log, closeEveryMs: config.sandboxLedgerMs },
    notice: { channel: changeChannel, payload: JSON.stringify(stellarNotice) },
    onNotice: callback => live.subscribe(stellarNotice, callback),
  });
  return {
    card: createSandboxCardAcquirer({ db, publicUrl }),
    banks: [createSandboxBank({ db, rail: 'sepa' }), createSandboxBank({ db, rail: 'ach' })],
    rates,
    stellar,
    /** Who fills the treasury where nothing is real. */
    faucet: {
      address: labelledKey('faucet').address,
      open: async (address: string) => void (await (await stellar.money()).open(address)),
      fill: async (address: string, asset: string) => void (await (await stellar.money()).fill(address, asset)),
    },
  };
}

/** What the controls of the outside world need of the service. */
export interface SandboxRouteDeps {
  readonly config: Pick<Config, 'network'>;
  readonly database: Database;
  readonly once: Once;
  readonly payments: PaymentRouteDeps;
  readonly sandbox: Sandbox;
}

/** Registers the test helpers that make the outside world act, and its own pages. */
export async function registerSandbox(http: FastifyInstance, deps: SandboxRouteDeps): Promise<void> {
  const { payments, sandbox, database } = deps;
  const bankOf = (railId: string) => sandbox.banks.find(bank => bank.id === railId) ?? sandbox.banks[0];
  registerPaymentTestRoutes(http, payments, {
    transfer: async ({ rail, ...credit }) => {
      await bankOf(rail)?.credit({ ...credit, sender: null, bankReference: null });
    },
  });
  if (deps.config.network === 'sandbox') {
    registerDepositTestRoutes(http, payments, { pay: payment => payAsAsked(sandbox.stellar, payment) });
  }
  registerSandboxHelpers(http, {
    once: deps.once,
    cards: sandbox.card,
    banks: sandbox.banks,
    afterCredit: async railId => {
      const bank = bankOf(railId);
      if (bank !== undefined) await receiveCredits(payments, bank);
    },
    findTransfer: async (merchantId, railId, reference) => {
      const row = await findTransfer(database.db, merchantId, railId, reference);
      return row === null ? null : transferToWire(row);
    },
    findCharge: (caller, paymentId) => findCharge(payments, caller, paymentId),
    recordDispute: async (tx, { merchant, now }, paymentId, dispute) => {
      const report = { ...dispute, id: newId('dispute'), rail: sandbox.card.id };
      const row = await openDispute(payments, tx, { merchantId: merchant.id, paymentId }, report, now);
      return { ...paymentToWire(payments, row), merchant: merchantToWire(merchant) };
    },
  });
  await registerSandboxPages(http, { cards: sandbox.card });
}

import * as testHelperSchemas from '../../api/test-helpers.ts';
import { receivingRails } from '../../core/bank/rails.ts';
import type { Clock } from '../../core/clock.ts';
import { memoTypes } from '../../core/stellar/memo.ts';
import { createSandboxBank } from '../../sandbox/bank.ts';
import { createSandboxCardAcquirer } from '../../sandbox/card-acquirer.ts';
import { eventKey, sendEvents } from '../../sandbox/card-events.ts';
import { registerSandboxForm } from '../../sandbox/card-form.routes.ts';
import { createSandboxKyc, kycCallbackKey, sandboxSanctions } from '../../sandbox/kyc/provider.ts';
import { createSandboxMobileMoney, sandboxMobileProviders } from '../../sandbox/mobile-money.ts';
import { createSandboxCollecting } from '../../sandbox/phone/collecting.ts';
import { createPhonePayer } from '../../sandbox/phone/payer.ts';
import { registerSandboxPhone } from '../../sandbox/phone/phone.routes.ts';
import { registerPhoneHelper } from '../../sandbox/phone/phone-helper.routes.ts';
import { createSandboxRates } from '../../sandbox/rates.ts';
import { registerSandboxHelpers } from '../../sandbox/sandbox-controls.routes.ts';
import { registerSandboxPages } from '../../sandbox/sandbox-pages.routes.ts';
import {
  createSandboxStellar,
  labelledKey,
  payAsAsked,
  sandboxAssets,
  sandboxKey,
} from '../../sandbox/stellar/index.ts';
import type { ChainDestination } from '../chains/chain.ts';
import { findFirstMerchant } from '../merchants/merchant.store.ts';
import { findAttempt } from '../payments/attempts/attempt.store.ts';
import { followAttempt } from '../payments/attempts/attempt-follow.service.ts';
import { answerCredits } from '../payments/bank/credit-answer.service.ts';
import { findDisputable, followDispute } from '../payments/card/card-dispute.service.ts';
import { registerDepositTestRoutes, registerPaymentTestRoutes } from '../payments/checkout/payment-test.routes.ts';
import { lockPayment } from '../payments/payment.store.ts';
import { merchantToWire, paymentToWire } from '../payments/payment.view.ts';
import type { PaymentRouteDeps } from '../payments/payment-deps.ts';
import { readPayment } from '../payments/payment-lifecycle.service.ts';
import type { Database } from '../platform/db/database.ts';
import type { Live } from '../platform/events/live.ts';
import { type ChangeNotice, changeChannel } from '../platform/events/outbox.ts';
import type { Caller } from '../platform/http/access/caller.ts';
import type { HttpApp } from '../platform/http/http-app.ts';
import type { Sweep } from '../platform/jobs/sweeper.ts';
import type { Log } from '../platform/logging.ts';
import { merchantNow } from '../platform/merchant.ts';
import { defineModule, schemasIn } from '../platform/module.ts';
import { cardRailNamed } from '../rails/rails.ts';
import type { Config } from '../settings/config.ts';

export interface SandboxDeps {
  readonly config: Pick<Config, 'sandboxLedgerMs' | 'sandboxAcquirers'>;
  readonly database: Database;
  readonly clock: Clock;
  readonly live: Pick<Live, 'subscribe'>;
  readonly log: Log;
  readonly rootSecret: Buffer;
  readonly publicUrl: () => string;
}

/** The notice that the sandbox's Stellar network changed. It goes to all servers of this database. */
const stellarNotice: ChangeNotice = { merchantId: 'sandbox', resourceId: 'stellar' };

export type Sandbox = ReturnType<typeof createSandbox>;

/** Creates the sandbox: a card acquirer, banks, mobile money, an identity provider, exchange rates and a Stellar network. */
export function createSandbox({ config, database: { db }, clock, live, log, rootSecret, publicUrl }: SandboxDeps) {
  const secret = eventKey(rootSecret);
  const rates = createSandboxRates(clock);
  const stellar = createSandboxStellar({
    db,
    clock,
    rates,
    log,
    closeEveryMs: config.sandboxLedgerMs,
    notice: { channel: changeChannel, payload: JSON.stringify(stellarNotice) },
    onNotice: callback => live.subscribe(stellarNotice, callback),
  });
  return {
    cards: config.sandboxAcquirers.map(id => createSandboxCardAcquirer({ db, publicUrl, id, secret })),
    banks: receivingRails.map(rail => createSandboxBank({ db, rail })),
    mobileMoney: sandboxMobileProviders.map(rail => createSandboxMobileMoney({ db, rail })),
    phones: sandboxMobileProviders.map(rail => createSandboxCollecting({ db, rail })),
    identity: {
      provider: createSandboxKyc({ db, key: kycCallbackKey(rootSecret) }),
      screens: [sandboxSanctions],
    },
    rates,
    stellar,
    /** Funds the treasury on the sandbox network. */
    faucet: {
      address: labelledKey('faucet').address,
      open: async (address: string) => void (await (await stellar.money()).open(address)),
      fill: async (address: string, asset: string) => void (await (await stellar.money()).fill(address, asset)),
    },
  };
}

interface Deps extends PaymentRouteDeps {
  readonly config: Pick<Config, 'network'>;
  readonly sandbox: Sandbox;
}

/** The sandbox of test mode: test helpers, pages, and a Stellar network. */
export const sandbox = defineModule<Deps>({
  name: 'sandbox',
  schemas: schemasIn(testHelperSchemas),
  tags: { 'Test helpers': 'Simulated actions of payers, banks and operators in test mode.' },
  testRoutes: async (app, deps) => {
    registerMoneyHelpers(app, deps);
    const controls = controlsOf(app, deps);
    registerSandboxHelpers(app, controls);
    registerPhone(app, deps, controls);
    const [cards] = deps.sandbox.cards;
    const hosted = deps.sandbox.cards.find(card => card.openForm !== undefined);
    if (hosted !== undefined) registerSandboxForm(app, hosted);
    if (cards === undefined) return;
    await registerSandboxPages(app, { cards, sendEvents: () => sendEvents(app, deps.sandbox.cards) });
  },
  sweeps: deps => (deps.config.network === 'sandbox' ? [settlementAccountSweep(deps)] : []),
  sharedRoutes: async (app, deps) => {
    if (deps.config.network === 'sandbox') await deps.sandbox.stellar.register(app);
  },
  start: async deps => {
    if (deps.config.network === 'sandbox') await deps.sandbox.stellar.start();
  },
  stop: deps => deps.sandbox.stellar.stop(),
});

/** Opens the first merchant's settlement account on the sandbox network, unless the merchant has set its own. */
function settlementAccountSweep({ db, secrets, sandbox }: Deps): Sweep {
  let isDone = false;
  return {
    name: 'sandbox.settlement_account',
    run: async () => {
      if (isDone) return 0;
      const key = sandboxKey(secrets.stellarSeed('settlement'));
      const merchant = await findFirstMerchant(db);
      if (merchant?.stellarAddress === key.address) {
        const money = await sandbox.stellar.money();
        await money.openHolder(key, Object.values(sandboxAssets));
      }
      isDone = true;
      return 0;
    },
  };
}

function bankOf({ sandbox }: Deps, railId: string) {
  return sandbox.banks.find(bank => bank.id === railId) ?? sandbox.banks[0];
}

function registerMoneyHelpers(app: HttpApp, deps: Deps): void {
  registerPaymentTestRoutes(app, deps, {
    transfer: async ({ rail, ...credit }) => {
      await bankOf(deps, rail)?.credit({ ...credit, sender: null, bankReference: null });
    },
  });
  if (deps.config.network !== 'sandbox') return;
  registerDepositTestRoutes(app, deps, {
    pay: ({ destination, ...money }) => payAsAsked(deps.sandbox.stellar, { ...money, ...toSandbox(destination) }),
  });
}

/** The payer's phone. After an answer the service asks the operator at once, as after an operator's callback. */
function registerPhone(app: HttpApp, deps: Deps, { once, readPayment: read }: ReturnType<typeof controlsOf>): void {
  const { db, clock } = deps;
  const now = () => clock.now();
  const payer = createPhonePayer({
    db,
    nowOf: async merchantId => merchantNow(await deps.findMerchant(merchantId), false, now()),
    notify: async ({ attemptId, ...key }) => {
      const attempt = await findAttempt(db, key, attemptId);
      if (attempt !== null) await followAttempt(deps, attempt);
    },
  });
  const assertPayment = (caller: Caller, paymentId: string) => readPayment(deps, caller, paymentId, 'payment');
  registerPhoneHelper(app, { once, payer, now, assertPayment, readPayment: read });
  registerSandboxPhone(app, { payer, now, demoMerchant: async () => (await findFirstMerchant(db))?.id ?? null });
}

/** A canonical destination on Stellar, as the sandbox network's payer takes it. */
function toSandbox({ address, memo, memo_type: type }: ChainDestination) {
  const memoType = memoTypes.find(each => each === type);
  return { address, ...(memo !== undefined && { memo }), ...(memoType !== undefined && { memoType }) };
}

function controlsOf(app: HttpApp, deps: Deps): Parameters<typeof registerSandboxHelpers>[1] {
  const { sandbox } = deps;
  return {
    once: deps.once,
    cards: id => cardRailNamed(sandbox, id),
    banks: sandbox.banks,
    answerCredits: (bank, calls) => answerCredits(deps, bank, calls),
    findCharge: (caller, paymentId, amount) => findDisputable(deps, caller, paymentId, amount),
    followDispute: ({ merchant }, rail, reference) =>
      followDispute(deps, cardRailNamed(sandbox, rail), { merchantId: merchant.id, reference }),
    readPayment: async (tx, { merchant }, paymentId) => {
      const row = await lockPayment(tx, { merchantId: merchant.id, paymentId });
      return { ...paymentToWire(deps, row), merchant: merchantToWire(merchant) };
    },
    sendEvents: () => sendEvents(app, sandbox.cards),
  };
}

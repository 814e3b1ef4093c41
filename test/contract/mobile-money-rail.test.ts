import { addSeconds } from '../../src/core/clock.ts';
import { createSandboxMobileMoney, sandboxMobileProviders } from '../../src/sandbox/mobile-money.ts';
import { createHttpExchange } from '../../src/server/platform/http-exchange.ts';
import { createMtnRail } from '../../src/server/rails/mobile-money/mtn.ts';
import type { PayoutRail } from '../../src/server/rails/rail.ts';
import { startFakeMtn } from '../server/rails/fake-mtn.ts';
import { startMpesaLab } from '../server/rails/mpesa-lab.ts';
import { createTestDatabase } from '../support/database.ts';
import { describePayoutRail } from './payout-rail.ts';

const wallet = (provider: string, number: string) => ({ type: 'mobile_money', provider, number });
const unpayable = [wallet('tigo', '+233241234789'), { type: 'bank_account', iban: 'LT647044001231465456' }];

/** A rail whose clock is `seconds()` ahead. */
function later(rail: PayoutRail, seconds: () => number): PayoutRail {
  return {
    ...rail,
    send: orders => rail.send(orders.map(order => ({ ...order, now: addSeconds(order.now, seconds()) }))),
    status: (ids, now) => rail.status(ids, addSeconds(now, seconds())),
  };
}

for (const provider of sandboxMobileProviders) {
  describePayoutRail(`sandbox ${provider}`, async () => {
    const database = await createTestDatabase();
    let passed = 0;
    const open = () => later(createSandboxMobileMoney({ db: database.db, rail: provider }), () => passed);
    return {
      rail: open(),
      reopened: open(),
      currency: 'XOF',
      unpayable,
      payable: wallet(provider, '+233241234789'),
      failing: {
        recipient_not_found: wallet(provider, '+233241234089'),
        provider_error: wallet(provider, '+233241234119'),
      },
      returning: { destination: wallet(provider, '+233241234139'), code: 'recipient_not_allowed' },
      pass: async seconds => {
        passed += seconds;
      },
      close: () => database.drop(),
    };
  });
}

describePayoutRail('MTN MoMo, a fake', async () => {
  const [mtn, http] = [await startFakeMtn(), createHttpExchange()];
  mtn.failing.set('233241234089', 'PAYEE_NOT_FOUND');
  const addresses = { urlOf: () => 'https://pay.example/', open: () => null };
  const open = () => createMtnRail({ account: mtn.account, http, addresses });
  return {
    rail: open(),
    reopened: open(),
    currency: 'GHS',
    unpayable,
    returning: null,
    payable: wallet('mtn', '+233241234789'),
    failing: { recipient_not_found: wallet('mtn', '+233241234089') },
    // The fake decides when it is asked for the state.
    pass: async () => {},
    close: async () => {
      http.close();
      await mtn.close();
    },
  };
});

describePayoutRail('M-Pesa, a fake', async () => {
  const lab = await startMpesaLab();
  lab.asksAgain = true;
  lab.mpesa.failing.set('254712345089', '2040');
  return {
    rail: lab.open(),
    reopened: lab.open(),
    currency: 'KES',
    unpayable,
    returning: null,
    payable: wallet('mpesa', '+254712345678'),
    failing: { recipient_not_found: wallet('mpesa', '+254712345089') },
    pass: () => lab.mpesa.callBack(),
    close: () => lab.close(),
  };
});

import * as rampSchemas from '../../api/ramps/ramp.ts';
import * as settingsSchemas from '../../api/ramps/ramp-settings.ts';
import type { KeyDirectory } from '../merchants/key-directory.ts';
import type { OutboundPurpose } from '../outbound/outbound.ts';
import type { PaymentPurpose } from '../payments/payment-purpose.ts';
import type { PayoutOwner } from '../payouts/payout-owner.ts';
import { attentionIn } from '../platform/db/attention.ts';
import { searchIn } from '../platform/db/search.ts';
import { accountants, everybody } from '../platform/http/access/roles.ts';
import { defineModule, schemasIn } from '../platform/module.ts';
import { rampGuest } from './access/ramp-guest.ts';
import { registerRampPage } from './access/ramp-page.routes.ts';
import { limitStarts } from './access/ramp-starts.ts';
import { registerRampTestRoute } from './access/ramp-test.routes.ts';
import { registerSessionRoutes } from './access/session.routes.ts';
import { createRampSweep } from './purchases/deliver.service.ts';
import { createRampOutbound } from './purchases/outcome.service.ts';
import { registerQuoteRoutes } from './quote.routes.ts';
import { registerRampRoutes } from './ramp.routes.ts';
import type { RampDeps } from './ramp-deps.ts';
import { rampErasure } from './ramp-erasure.store.ts';
import { rampEvents } from './ramp-events.ts';
import { createRampPurpose } from './ramp-purpose.ts';
import { createRampPayouts } from './sales/pay-out.service.ts';
import { createTermsAccess, type TermsAccess } from './terms/terms.service.ts';

interface Deps extends RampDeps {
  readonly keys: Pick<KeyDirectory, 'findMerchant'>;
  readonly config: { readonly clientRateLimit: number };
}

/** Ramps: customers buy coins, which the treasury delivers, or sell coins, whose money payouts bring. Both by payments. */
export const ramps = defineModule<
  Deps,
  {
    purposes: PaymentPurpose;
    outbound: OutboundPurpose;
    payoutOwners: PayoutOwner;
    services: { rampTerms: TermsAccess };
  }
>({
  name: 'ramps',
  provides: { rampTerms: createTermsAccess },
  guests: { ramp: rampGuest },
  tables: ['ramps', 'ramp_quotes', 'ramp_terms'],
  triggers: ['kyc_records_ramps'],
  schemas: schemasIn(rampSchemas, settingsSchemas),
  events: rampEvents,
  scopes: { ramps: { read: everybody, write: accountants } },
  tags: { Ramps: 'Customers buy coins, which arrive in their wallets, or sell coins for money.' },
  requestExamples: {
    CreateRampQuote: {
      direction: 'on',
      sell: { currency: 'EUR', amount: 100_00 },
      buy: { asset: 'USDC' },
      method: 'bank_transfer',
    },
    CreateRamp: {
      direction: 'on',
      fiat_currency: 'EUR',
      fiat_amount: 100_00,
      asset: 'USDC',
      method: 'bank_transfer',
      wallet: { address: 'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ' },
      customer: { email: 'ada@example.com', name: 'Ada Lovelace' },
    },
  },
  search: [
    searchIn('ramps', {
      kind: 'ramp',
      type: 'ramp',
      path: '/v1/ramps',
      scope: 'ramps:read',
      matches: [{ column: 'tx_hash', as: 'hash' }],
      show: ({ customer_email, status }) => ({ title: customer_email, subtitle: status }),
    }),
  ],
  attention: {
    ramps_on_hold: attentionIn('ramps', { status: ['on_hold'] }, '/v1/ramps?status=on_hold'),
    ramps_waiting_for_wallet: attentionIn('ramps', { status: ['pending_trust'] }, '/v1/ramps?status=pending_trust'),
  },
  purposes: deps => [createRampPurpose(deps)],
  outbound: deps => [createRampOutbound(deps)],
  payoutOwners: deps => [createRampPayouts(deps)],
  routes: (app, deps) => {
    registerQuoteRoutes(app, deps);
    registerRampRoutes(app, { ...deps, ...limitStarts(deps.config.clientRateLimit) });
    registerSessionRoutes(app, deps);
    registerRampTestRoute(app, deps);
  },
  pages: registerRampPage,
  sweeps: deps => [createRampSweep(deps)],
  erasures: () => [rampErasure],
});

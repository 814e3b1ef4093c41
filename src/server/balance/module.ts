import * as conversionSchemas from '../../api/balance/conversion.ts';
import * as topUpSchemas from '../../api/balance/top-up.ts';
import * as withdrawalSchemas from '../../api/balance/withdrawal.ts';
import type { ApprovalPurpose } from '../approvals/approval.ts';
import { moneyText } from '../ledger/balance-money.ts';
import type { OutboundPurpose } from '../outbound/outbound.ts';
import type { TopUps } from '../payments/payment-deps.ts';
import { searchIn } from '../platform/db/search.ts';
import { defineModule, schemasIn } from '../platform/module.ts';
import type { BalanceMoveDeps } from './balance-deps.ts';
import { registerConversionRoutes } from './conversion.routes.ts';
import { priceConversion } from './conversion.service.ts';
import { conversionEvents } from './conversion.view.ts';
import { askedOf, conversionApprovals } from './conversion-approval.service.ts';
import { registerTopUpRoutes } from './top-up.routes.ts';
import { findTopUpByReference } from './top-up.store.ts';
import { topUpEvents } from './top-up.view.ts';
import { creditTopUp } from './top-up-credit.service.ts';
import { registerWithdrawalRoutes } from './withdrawal.routes.ts';
import { withdrawalApprovals, withdrawalOutbound } from './withdrawal.service.ts';
import { withdrawalEvents } from './withdrawal.view.ts';

/** Top-ups, withdrawals and conversions of the available balance. */
export const balance = defineModule<
  BalanceMoveDeps,
  { outbound: OutboundPurpose; approvals: ApprovalPurpose; services: { readonly topUps: TopUps } }
>({
  name: 'balance',
  provides: {
    topUps: deps => ({
      findByReference: findTopUpByReference,
      credit: (tx, merchant, topUpId, transfer) => creditTopUp(tx, deps, merchant, topUpId, transfer),
    }),
  },
  tables: ['top_ups', 'withdrawals', 'balance_quotes', 'conversions'],
  schemas: schemasIn(topUpSchemas, withdrawalSchemas, conversionSchemas),
  events: { ...topUpEvents, ...withdrawalEvents, ...conversionEvents },
  requestExamples: { CreateTopUp: { currency: 'EUR', amount: 500_000 } },
  routes: (app, deps) => {
    registerTopUpRoutes(app, deps);
    registerWithdrawalRoutes(app, deps);
    registerConversionRoutes(app, deps);
  },
  search: [
    searchIn('top_ups', {
      kind: 'topUp',
      type: 'top_up',
      path: '/v1/balance/top-ups',
      scope: 'balance:read',
      matches: [{ column: 'reference', as: 'exact' }],
      show: ({ currency, rail, status, reference }) => ({
        title: `${currency.split(':')[0]} · ${rail}`,
        subtitle: reference === null ? status : `${status} · ${reference}`,
      }),
    }),
    searchIn('withdrawals', {
      kind: 'withdrawal',
      type: 'withdrawal',
      path: '/v1/balance/withdrawals',
      scope: 'balance:read',
      matches: [{ column: 'tx_hash', as: 'hash' }],
      show: row => ({ title: moneyText(row), subtitle: row.status }),
    }),
    searchIn('conversions', {
      kind: 'conversion',
      type: 'conversion',
      path: '/v1/balance/conversions',
      scope: 'balance:read',
      show: row => ({ title: moneyText({ currency: row.from_currency, amount: row.from_amount }) }),
    }),
  ],
  outbound: () => [withdrawalOutbound],
  approvals: deps => [
    withdrawalApprovals(deps),
    conversionApprovals(deps, (caller, row) => priceConversion(deps, caller, askedOf(row))),
  ],
});

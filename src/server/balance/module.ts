import * as conversionSchemas from '../../api/balance/conversion.ts';
import * as withdrawalSchemas from '../../api/balance/withdrawal.ts';
import type { ApprovalPurpose } from '../approvals/approval.ts';
import { moneyText } from '../ledger/balance-money.ts';
import type { OutboundPurpose } from '../outbound/outbound.ts';
import { searchIn } from '../platform/db/search.ts';
import { defineModule, schemasIn } from '../platform/module.ts';
import type { BalanceMoveDeps } from './balance-deps.ts';
import { registerConversionRoutes } from './conversion.routes.ts';
import { priceConversion } from './conversion.service.ts';
import { conversionEvents } from './conversion.view.ts';
import { askedOf, conversionApprovals } from './conversion-approval.service.ts';
import { registerWithdrawalRoutes } from './withdrawal.routes.ts';
import { withdrawalApprovals, withdrawalOutbound } from './withdrawal.service.ts';
import { withdrawalEvents } from './withdrawal.view.ts';

/** Withdrawals and conversions of the available balance. */
export const balance = defineModule<BalanceMoveDeps, { outbound: OutboundPurpose; approvals: ApprovalPurpose }>({
  name: 'balance',
  tables: ['withdrawals', 'balance_quotes', 'conversions'],
  schemas: schemasIn(withdrawalSchemas, conversionSchemas),
  events: { ...withdrawalEvents, ...conversionEvents },
  routes: (app, deps) => {
    registerWithdrawalRoutes(app, deps);
    registerConversionRoutes(app, deps);
  },
  search: [
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

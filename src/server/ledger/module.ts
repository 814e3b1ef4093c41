import * as balanceSchemas from '../../api/balance.ts';
import { defineModule, schemasIn } from '../platform/module.ts';
import { type BalanceDeps, registerBalanceRoutes } from './balance.routes.ts';

/** The double-entry books, and the balance of each merchant. */
export const ledger = defineModule<BalanceDeps>({
  name: 'ledger',
  tables: ['ledger_transactions', 'ledger_entries', 'merchant_entries'],
  schemas: schemasIn(balanceSchemas),
  scopes: ['balance'],
  tags: { Balance: 'What the service holds for you, entry by entry.' },
  routes: registerBalanceRoutes,
});

import * as balanceSchemas from '../../api/balance/balance.ts';
import { foldSweep } from '../platform/db/folded-sums.ts';
import { accountants, everybody } from '../platform/http/access/roles.ts';
import { defineModule, schemasIn } from '../platform/module.ts';
import { type BalanceDeps, registerBalanceRoutes } from './balance.routes.ts';
import { ledgerSums } from './ledger.store.ts';
import { registerLedgerExport } from './ledger-export.routes.ts';
import { registerStatementRoutes } from './statement.routes.ts';

/** The double-entry ledger and the balances of the merchants. */
export const ledger = defineModule<BalanceDeps>({
  name: 'ledger',
  tables: [
    ...['ledger_transactions', 'ledger_entries', 'merchant_entries', 'ledger_lines', 'balance_locks'],
    ...['ledger_sums', 'ledger_sum_changes'],
  ],
  schemas: schemasIn(balanceSchemas),
  scopes: { balance: { read: everybody, write: accountants } },
  tags: { Balance: 'Money that the service holds for you, and its entries.' },
  routes: (app, deps) => {
    registerBalanceRoutes(app, deps);
    registerStatementRoutes(app, deps);
    registerLedgerExport(app, deps);
  },
  sweeps: ({ db }) => [foldSweep('ledger.fold', db, ledgerSums)],
});

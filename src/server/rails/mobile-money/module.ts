import { defineModule } from '../../platform/module.ts';
import { type CallbackDeps, registerCallbackRoutes } from './callback.routes.ts';

/** Payouts of real money by mobile money: the connectors of MTN MoMo and M-Pesa. */
export const mobileMoney = defineModule<{ readonly mobileMoney: CallbackDeps & { close(): void } }>({
  name: 'mobile_money',
  tables: ['mpesa_orders', 'mobile_money_prompts'],
  routes: (app, deps) => registerCallbackRoutes(app, deps.mobileMoney),
  remarks: deps => deps.mobileMoney.connectors.flatMap(connector => connector.problem() ?? []),
  stop: deps => deps.mobileMoney.close(),
});

import { defineModule } from '../../platform/module.ts';
import { type CallbackDeps, registerCallbackRoutes } from './callback.routes.ts';

interface Connectors extends CallbackDeps {
  /** Why calls to the operators fail. */
  problems(): readonly string[];
  close(): void;
}

/** Real money by mobile money: the connectors of MTN MoMo and M-Pesa, which pay and collect. */
export const mobileMoney = defineModule<{ readonly mobileMoney: Connectors }>({
  name: 'mobile_money',
  tables: ['mpesa_orders', 'mobile_money_prompts'],
  routes: (app, deps) => registerCallbackRoutes(app, deps.mobileMoney),
  remarks: deps => deps.mobileMoney.problems(),
  stop: deps => deps.mobileMoney.close(),
});

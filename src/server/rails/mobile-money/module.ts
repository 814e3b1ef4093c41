import { defineModule } from '../../platform/module.ts';
import { type CallbackDeps, registerCallbackRoutes } from './callback.routes.ts';
import { findUnansweredPrompts } from './prompt.store.ts';

interface Connectors extends CallbackDeps {
  /** Why calls to the operators fail. */
  problems(): readonly string[];
  /** 1 for each connector whose last call failed, otherwise 0. */
  failing(): ReadonlyMap<string, number>;
  close(): void;
}

/** Real money by mobile money: the connectors of MTN MoMo and M-Pesa, which pay and collect. */
export const mobileMoney = defineModule<{ readonly mobileMoney: Connectors }>({
  name: 'mobile_money',
  tables: ['mpesa_orders', 'mobile_money_prompts'],
  routes: (app, deps) => registerCallbackRoutes(app, deps.mobileMoney),
  gauges: deps => [
    {
      name: 'pay_mobile_money_failing',
      help: 'Whether the last call of a mobile-money connector failed (1) or not (0).',
      label: 'connector',
      read: () => deps.mobileMoney.failing(),
    },
  ],
  overdue: { mobile_money_prompt: findUnansweredPrompts },
  remarks: deps => deps.mobileMoney.problems(),
  stop: deps => deps.mobileMoney.close(),
});

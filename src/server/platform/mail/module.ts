import { defineModule } from '../module.ts';
import type { Mail } from './create-mail.ts';
import { findOverdueMails } from './mail.store.ts';
import { registerOutboxRoutes } from './outbox.routes.ts';

interface Deps {
  readonly mail: Mail;
  readonly config: { readonly network: string };
}

/** Mails to payers and merchants; those of test mode can be looked at in the outbox. */
export const mail = defineModule<Deps>({
  name: 'mail',
  tables: ['mails', 'mail_servers'],
  testRoutes: (app, deps) => {
    if (deps.config.network === 'sandbox') registerOutboxRoutes(app, deps.mail.outbox);
  },
  sweeps: deps => deps.mail.sweeps,
  gauges: deps => [deps.mail.gauge],
  overdue: { mail: findOverdueMails },
  remarks: deps => deps.mail.remarks(),
  start: deps => deps.mail.start(),
});

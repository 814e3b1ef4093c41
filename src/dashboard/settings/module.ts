import type { DashboardModule } from '../app/dashboard-module.ts';
import { hasClock, seesTreasury } from './offers.ts';

/** The account's settings, branding, domains, mail outbox, rails, treasury, bank answers and test clock. */
export const settings: DashboardModule = {
  pages: [
    { path: '/settings', title: 'Settings', tag: 'pay-settings-page', load: () => import('./settings-page.ts') },
    {
      path: '/settings/branding',
      title: 'Branding',
      tag: 'pay-branding-page',
      load: () => import('./branding-page.ts'),
    },
    { path: '/settings/domains', title: 'Domains', tag: 'pay-domains-page', load: () => import('./domains-page.ts') },
    { path: '/settings/mails', title: 'Mail outbox', tag: 'pay-mails-page', load: () => import('./mails-page.ts') },
    { path: '/settings/mails/:id', title: 'Mail', tag: 'pay-mail-page', load: () => import('./mail-page.ts') },
    {
      path: '/settings/rails',
      title: 'Rails and chains',
      tag: 'pay-rails-page',
      load: () => import('./rails-page.ts'),
    },
    {
      path: '/settings/treasury',
      title: 'Treasury',
      tag: 'pay-treasury-page',
      load: () => import('./treasury-page.ts'),
    },
    {
      path: '/settings/bank-answers',
      title: 'Bank answers',
      tag: 'pay-bank-answers-page',
      load: () => import('./bank-answers-page.ts'),
    },
    { path: '/settings/clock', title: 'Test clock', tag: 'pay-clock-page', load: () => import('./clock-page.ts') },
  ],
  navigation: [{ label: 'Settings', icon: 'settings', path: '/settings', group: 'account', order: 30 }],
  search: [
    { label: 'Allowed origins', words: 'cors website', path: '/settings' },
    {
      label: 'Approval limit',
      words: 'second person four eyes payouts approve',
      path: '/settings?field=payouts.approval_above.amount',
    },
    { label: 'Domains', words: 'custom domain dns cname address', path: '/settings/domains' },
    { label: 'Mail outbox', words: 'mails sent receipts', path: '/settings/mails' },
    { label: 'Rails and chains', words: 'methods sepa ach mobile money connected', path: '/settings/rails' },
    { label: 'Treasury', words: 'stellar channels waiting', path: '/settings/treasury', isFor: seesTreasury },
    { label: 'Bank answers', words: 'payouts put aside returns', path: '/settings/bank-answers', isFor: seesTreasury },
    { label: 'Test clock', words: 'time advance', path: '/settings/clock', isFor: hasClock },
    { label: 'Branding', words: 'logo colour color appearance', path: '/settings/branding' },
  ],
  attention: {
    bank_answers_put_aside: ['bank answer to look at', 'bank answers to look at', '/settings/bank-answers'],
    domains_failed: ['domain failed', 'domains failed', '/settings/domains'],
  },
};

import type { DashboardModule } from '../app/dashboard-module.ts';

/** Ramps: customers buy coins with money. The list, one ramp, and the account's rules. */
export const ramps: DashboardModule = {
  pages: [
    { path: '/ramps', title: 'Ramps', tag: 'pay-ramps-page', load: () => import('./ramps-page.ts') },
    { path: '/ramps/:id', title: 'Ramp', tag: 'pay-ramp-page', load: () => import('./ramp-page.ts') },
    {
      path: '/settings/ramps',
      title: 'Ramps',
      tag: 'pay-ramp-terms-page',
      load: () => import('./terms/terms-page.ts'),
    },
  ],
  navigation: [{ label: 'Ramps', icon: 'ramps', path: '/ramps', group: 'main', order: 47 }],
  search: [
    {
      label: 'Settings of ramps',
      words: 'on-ramp buy coins usdc xlm fee fees limit limits kyc late money',
      path: '/settings/ramps',
    },
  ],
  events: {
    'ramp.created': ['Ramp begun', 'plain'],
    'ramp.updated': ['Ramp changed', 'plain'],
    'ramp.completed': ['Coins delivered', 'good'],
    'ramp.failed': ['Ramp ended', 'plain'],
    'ramp.refunded': ['Ramp refunded', 'plain'],
  },
  objects: { ramp: '/ramps/' },
  attention: {
    ramps_on_hold: ['ramp to decide about', 'ramps to decide about', '/ramps?status=on_hold'],
    ramps_waiting_for_wallet: [
      'ramp waits for its wallet',
      'ramps wait for their wallets',
      '/ramps?status=pending_trust',
    ],
  },
};

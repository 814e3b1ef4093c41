import type { DashboardModule } from '../app/dashboard-module.ts';

/** The account: business, checkout, settlement, invoices, appearance. */
export const settings: DashboardModule = {
  pages: [
    { path: '/settings', title: 'Settings', tag: 'pay-settings-page', load: () => import('./settings-page.ts') },
    {
      path: '/settings/branding',
      title: 'Branding',
      tag: 'pay-branding-page',
      load: () => import('./branding-page.ts'),
    },
  ],
  navigation: [{ label: 'Settings', icon: 'settings', path: '/settings', group: 'workshop', order: 30 }],
  search: [
    { label: 'Settlement address', words: 'stellar asset usdc', path: '/settings' },
    { label: 'Allowed origins', words: 'cors domain website', path: '/settings' },
    { label: 'Branding', words: 'logo colour color appearance', path: '/settings/branding' },
  ],
};

import { type DashboardModule, withRight } from '../app/dashboard-module.ts';

/** The people of the merchant, the person's own account, and the log of changes. */
export const team: DashboardModule = {
  pages: [
    { path: '/team', title: 'Team', tag: 'pay-team-page', load: () => import('./team-page.ts') },
    { path: '/account', title: 'My account', tag: 'pay-account-page', load: () => import('./account-page.ts') },
    { path: '/audit-log', title: 'Audit log', tag: 'pay-audit-log-page', load: () => import('./audit-log-page.ts') },
  ],
  navigation: [{ label: 'Team', icon: 'team', path: '/team', further: ['/audit-log'], group: 'account', order: 80 }],
  search: [
    { label: 'My account', words: 'password passkey two factor sessions sign out', path: '/account' },
    { label: 'Audit log', words: 'history people changes', path: '/audit-log', isFor: withRight('manage') },
  ],
};

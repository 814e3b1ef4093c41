import { type DashboardModule, withRight } from '../app/dashboard-module.ts';

/** Payment links: the list with a form for new ones, and one link with its code, poster and payments. */
export const links: DashboardModule = {
  pages: [
    { path: '/links', title: 'Payment links', tag: 'pay-links-page', load: () => import('./links-page.ts') },
    { path: '/links/:id', title: 'Payment link', tag: 'pay-link-page', load: () => import('./link-page.ts') },
  ],
  navigation: [{ label: 'Links', icon: 'links', path: '/links', group: 'main', order: 30, isAtFoot: true }],
  search: [{ label: 'Create a payment link', words: 'new qr poster', path: '/links?new=1', isFor: withRight('money') }],
  events: {
    'payment_link.paid': ['Link paid', 'good', 'loud'],
    'payment_link.opened': ['Link opened', 'plain'],
    'payment_link.created': ['Link created', 'plain'],
  },
  objects: { plink: '/links/' },
};

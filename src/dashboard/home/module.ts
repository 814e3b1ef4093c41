import type { DashboardModule } from '../app/dashboard-module.ts';

/** Home: received money, settled money, and work that waits for a person. */
export const home: DashboardModule = {
  pages: [{ path: '/', title: 'Home', tag: 'pay-home-page', load: () => import('./home-page.ts') }],
  navigation: [{ label: 'Home', icon: 'home', path: '/', group: 'main', order: 10, isAtFoot: true }],
};

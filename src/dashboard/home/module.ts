import type { DashboardModule } from '../app/dashboard-module.ts';

/** Home: what came in, what reached the account, what needs a person. */
export const home: DashboardModule = {
  pages: [{ path: '/', title: 'Home', tag: 'pay-home-page', load: () => import('./home-page.ts') }],
  navigation: [{ label: 'Home', icon: 'home', path: '/', group: 'main', order: 10, isAtFoot: true }],
};

import type { DashboardModule, PageEntry } from '../app/dashboard-module.ts';

/** The page that the frame shows at any URL while nobody is signed in. */
export const signInPage: PageEntry = {
  path: '/sign-in',
  title: 'Sign in',
  tag: 'pay-sign-in-page',
  load: () => import('./sign-in-page.ts'),
  isOpen: true,
};

export const signIn: DashboardModule = { pages: [signInPage] };

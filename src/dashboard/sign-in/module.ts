import type { DashboardModule, PageEntry } from '../app/dashboard-module.ts';

/** Without a session, the frame shows this page instead of all pages that are not open (`isOpen`). */
export const signInPage: PageEntry = {
  path: '/sign-in',
  title: 'Sign in',
  tag: 'pay-sign-in-page',
  load: () => import('./sign-in-page.ts'),
  isOpen: true,
};

/** Pages for people who are not signed in. */
export const signIn: DashboardModule = {
  pages: [
    signInPage,
    {
      path: '/forgot-password',
      title: 'Forgotten password',
      tag: 'pay-forgot-password-page',
      isOpen: true,
      load: () => import('./forgot-password-page.ts'),
    },
    {
      path: '/reset-password',
      title: 'New password',
      tag: 'pay-reset-password-page',
      isOpen: true,
      load: () => import('./reset-password-page.ts'),
    },
    {
      path: '/invitation',
      title: 'Invitation',
      tag: 'pay-invitation-page',
      isOpen: true,
      load: () => import('./invitation-page.ts'),
    },
  ],
};

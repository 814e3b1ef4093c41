import type { Chunks } from './checkout-context.ts';

/** Loads a view together with the chunk of rows, which is separate because several views show rows. */
const withRows = async <V>(view: Promise<V>): Promise<V> =>
  (await Promise.all([view, import('./controls/rows.ts')]))[0];

const form = () => import('./form.ts');

/**
 * Loaders of code that is not part of the first load. Only the element imports this file. Other files get the loaders
 * from the context. Chunks that only one view needs are imported by that view.
 */
export const chunks: Chunks = {
  views: {
    card: async () => (await form()).card,
    bank_transfer: () => withRows(import('./methods/bank.ts')),
    crypto: () => withRows(import('./methods/crypto.ts')),
    mobile_money: () => withRows(import('./methods/mobile-money.ts')),
    details: () => import('./views/details.ts'),
    link: () => import('./payment-link/link.ts'),
    challenge: () => import('./methods/challenge.ts'),
    trouble: () => import('./views/trouble.ts'),
    panels: async () => (await form()).panels,
    outcome: () => import('./views/outcome.ts'),
    launcher: () => import('./views/launcher.ts'),
  },
  languages: {
    ar: () => import('./strings/ar.ts'),
    ja: () => import('./strings/ja.ts'),
  },
  controls: async () => (await form()).controls,
  qrCode: () => import('./controls/qr-code.ts'),
  liveUpdates: () => import('./state/live-updates.ts'),
  resumption: () => import('./state/resume.ts'),
};

import { html, type TemplateResult } from 'lit';

/** Icons of 24 × 24, strokes only, in the colour of the text. */
const paths = {
  home: 'M5 11v8h14v-8L12 4zM9.5 19v-5h5v5',
  payments: 'M3 8a2 2 0 0 1 2-2h14a2 2 0 0 1 2 2v8a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2zm0 2.5h18M6.5 15h3',
  links: 'M10 14a4 4 0 0 0 6 .4l3-3a4 4 0 0 0-5.7-5.6L12 7m2 3a4 4 0 0 0-6-.4l-3 3a4 4 0 0 0 5.7 5.6L12 17',
  invoices: 'M6 3h12v18l-3-2-3 2-3-2-3 2zM9 8h6M9 12h6',
  payouts: 'M5 12h14m-6-6 6 6-6 6',
  recipients: 'M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7m-6.5 9a6.5 6.5 0 0 1 13 0M15 10h7m-3-3 3 3-3 3',
  ramps: 'M4 8h14m-4-4 4 4-4 4M20 16H6m4-4-4 4 4 4',
  customers: 'M12 11a4 4 0 1 0 0-8 4 4 0 0 0 0 8M4.5 21a7.5 7.5 0 0 1 15 0',
  balance: 'M3 7h18v12H3zm0 0 3-3h12M15.5 13h2.5',
  developers: 'm8 7-5 5 5 5m8-10 5 5-5 5',
  settings:
    'M12 15.5a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7M12 2v3m0 14v3M2 12h3m14 0h3M5 5l2 2m10 10 2 2m0-14-2 2M7 17l-2 2',
  team: 'M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7m-6.5 9a6.5 6.5 0 0 1 13 0M16 4.5a3.5 3.5 0 0 1 0 6.5m2 3.5a6.5 6.5 0 0 1 3.5 5.5',
  branding:
    'M12 21a9 9 0 1 1 9-9c0 3-2.5 3.5-4.5 3.500H14a2 2 0 0 0-1 3.700c.7.6.3 1.8-1 1.800M7.5 11h.01M10 7.500h.01M14.5 7.500h.01',
  search: 'M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14m5-2 5 5',
  bell: 'M6 17V11a6 6 0 0 1 12 0v6l1.5 2h-15zM10 21h4',
  more: 'M5 12h.01M12 12h.01M19 12h.01',
  close: 'm6 6 12 12M18 6 6 18',
  copy: 'M9 9h11v11H9zM15 9V4H4v11h5',
  done: 'm5 13 4.5 4.500L19 7',
  down: 'm6 9 6 6 6-6',
  download: 'M12 4v11m-5-4.5 5 4.5 5-4.500M5 20h14',
  external: 'M14 4h6v6m0-6-9 9M18 14v6H4V6h6',
  add: 'M12 5v14M5 12h14',
  trash: 'M5 7h14M10 7V4h4v3m-7 0 1 13h8l1-13',
} as const;

export type IconName = keyof typeof paths;

/** An icon. Screen readers skip it, because its control has a text or a label with the same meaning. */
export function icon(name: IconName): TemplateResult {
  return html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d=${paths[name]}></path></svg>`;
}

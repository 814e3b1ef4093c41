import { css } from 'lit';

/**
 * Each `--pay-*` colour is read once, here or in `parts/furniture.ts`, with its defaults, into a short name of our own. Where two colours stand
 * side by side the first is for light and the second for dark: one of `--light` and `--dark` is invalid, so that its
 * fallback counts, and the other is empty, so that it vanishes. (`light-dark()` is younger than the browsers we serve.)
 */
export const tokens = css`
  .skin {
    --light: initial;
    --dark: var(--nothing,);
    --page: var(--pay-page, var(--light, #f4f5f7) var(--dark, #0c0f14));
    --card: var(--pay-background, var(--light, #fff) var(--dark, #151a21));
    --ink: var(--pay-ink, var(--light, #10151d) var(--dark, #f1f4f8));
    --ink2: var(--pay-ink-second, var(--light, #4c5665) var(--dark, #b3bdca));
    --ink3: var(--pay-ink-third, var(--light, #687282) var(--dark, #8d98a7));
    --line: var(--pay-line, var(--light, #e3e7ec) var(--dark, #28303b));
    --accent: var(--pay-accent, var(--brand, var(--light, #2f5bea) var(--dark, #7d9bff)));
    --accent-ink: var(--pay-accent-ink, var(--light, #fff) var(--dark, #0b1020));
    --accent-text: var(--accent);
    --warn: var(--pay-warn, var(--light, #8a5300) var(--dark, #f0b95c));
    --control: var(--pay-radius-control, 12px);
    color-scheme: light;
    color: var(--ink);
    font: 0.9375em / 1.45 var(--pay-font, system-ui, -apple-system, "Segoe UI", Roboto, sans-serif);
    text-align: start;
    overflow-wrap: anywhere;
    -webkit-font-smoothing: antialiased;
  }
  .dark {
    --light: var(--nothing,);
    --dark: initial;
    color-scheme: dark;
  }
  /* The ink on the accent is white or near black, whichever WCAG's relative luminance asks for; accent-coloured text is
     brought to where it can be read on the card. */
  @supports (color: oklch(from red l c h)) {
    .skin {
      --tone: clamp(0.0015, (0.183 - (0.2126 * r + 0.7152 * g + 0.0722 * b)) * 100000, 1);
      --accent-ink: var(--pay-accent-ink, color(from var(--accent) srgb-linear var(--tone) var(--tone) var(--tone)));
      --accent-text: oklch(from var(--accent) clamp(var(--light, 0) var(--dark, 0.7), l, var(--light, 0.51) var(--dark, 1)) c h);
    }
  }
`;

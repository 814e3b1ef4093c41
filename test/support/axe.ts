import axeCore, { type RunOptions } from 'axe-core';
import type { Frame, Page } from 'playwright';
import { rememberColors } from './axe-colors.ts';

/** The part of a page that is checked. */
export interface AxeScope {
  /** A part that is not checked. `iframe` omits all frames. */
  readonly except?: string;
  /** Checks only the success criteria of WCAG 2.1 AA, not best practices. */
  readonly criteriaOnly?: boolean;
  /** Checks the size of targets, too, a criterion of WCAG 2.2 AA. */
  readonly targets?: boolean;
}

const criteria = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'];

/** The accessibility violations of the page and of its frames. */
export async function defectsOf(
  page: Page,
  { except, criteriaOnly = false, targets = false }: AxeScope = {},
): Promise<string[]> {
  const frames = except === 'iframe' ? [page.mainFrame()] : page.frames();
  await Promise.all(frames.map(addAxe));
  const options: RunOptions = {
    resultTypes: ['violations'],
    preload: false,
    rules: { 'target-size': { enabled: targets } },
    ...(criteriaOnly && { runOnly: { type: 'tag', values: criteria } }),
  };
  const check = ({ exclude, how }: { exclude: string | null; how: RunOptions }) =>
    (globalThis as unknown as { axe: typeof axeCore }).axe.run(
      exclude === null ? document : { exclude: [exclude] },
      how,
    );
  const { violations } = await page.evaluate(check, { exclude: except ?? null, how: options });
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

/** Loads axe into the frame's document only once, because reading its source takes as long as a check. */
async function addAxe(frame: Frame): Promise<void> {
  if (await frame.evaluate(() => 'axe' in globalThis)) return;
  await frame.evaluate(axeCore.source);
  await frame.evaluate(rememberColors);
}

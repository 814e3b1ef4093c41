import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright';

/** What of a page is checked. */
export interface AxeScope {
  /** A part to leave out. */
  readonly except?: string;
  /** The success criteria of WCAG 2.1 AA alone, without what is only good practice. */
  readonly criteriaOnly?: boolean;
}

const criteria = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'];

/** What an accessibility check finds wrong with the page, and with frames of its own origin. */
export async function defectsOf(page: Page, { except, criteriaOnly = false }: AxeScope = {}): Promise<string[]> {
  // In one page, and without a word on all that is right: a fifth of the time.
  const axe = new AxeBuilder({ page: page as never })
    .setLegacyMode(true)
    .options({ resultTypes: ['violations'], preload: false });
  if (criteriaOnly) axe.withTags(criteria);
  if (except !== undefined) axe.exclude(except);
  const { violations } = await axe.analyze();
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

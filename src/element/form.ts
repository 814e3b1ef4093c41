/** One file with the card tab, which is the likeliest method, and the code that every method needs. */
import { attend, confirm, styles as controlStyles } from './controls/controls.ts';
import { styles as cardStyles, createView as createCard } from './methods/card.ts';
import { createView as createPanels, styles as panelStyles } from './views/panels.ts';

export const card = { createView: createCard, styles: cardStyles };
export const panels = { createView: createPanels, styles: panelStyles };
export const controls = { attend, confirm, styles: controlStyles };

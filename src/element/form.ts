/** One file of the script: the card tab as the likeliest method, and what every method needs. */
import { attend, confirm, styles as controlStyles } from './controls/controls.ts';
import { styles as cardStyles, createView as createCard } from './methods/card.ts';
import { createView as createPanels, styles as panelStyles } from './views/panels.ts';

export const card = { createView: createCard, styles: cardStyles };
export const panels = { createView: createPanels, styles: panelStyles };
export const controls = { attend, confirm, styles: controlStyles };

import './docs.css';
import { copyButtons, serverAddress, tabs } from './code-blocks.ts';
import { showSearch } from './search-button.ts';
import { showThemeButton } from './theme-button.ts';

serverAddress();
showThemeButton();
showSearch();
tabs();
copyButtons();

// The form that runs a call is loaded only on pages with a call.
if (document.querySelector('[data-try]')) import('./try-call.ts').then(({ offerTries }) => offerTries());

// Following a link of the contents on the same page closes them on a phone.
document.querySelector('#contents')?.addEventListener('click', event => {
  if (event.target instanceof HTMLAnchorElement) document.querySelector<HTMLElement>('#contents')?.hidePopover?.();
});
showCurrent();

/** Scrolls the contents, and nothing else, until the current page stands in the middle. */
function showCurrent(): void {
  const contents = document.querySelector<HTMLElement>('#contents');
  const current = contents?.querySelector<HTMLElement>('[aria-current]');
  if (contents && current) contents.scrollTop = current.offsetTop - contents.clientHeight / 2;
}

import './docs.css';
import { copyButtons, serverAddress, tabs } from './code-blocks.ts';
import { showSearch } from './search-button.ts';
import { showThemeButton } from './theme-button.ts';

serverAddress();
showThemeButton();
showSearch();
tabs();
copyButtons();

// The form that runs a call is loaded only if the page has a call.
if (document.querySelector('[data-try]')) import('./try-call.ts').then(({ offerTries }) => offerTries());

// On a phone, a click on a link closes the contents, because the link may lead to the same page.
document.querySelector('#contents')?.addEventListener('click', event => {
  if (event.target instanceof HTMLAnchorElement) document.querySelector<HTMLElement>('#contents')?.hidePopover?.();
});
showCurrent();

/** Scrolls the contents, but not the page, until the link to the current page is in the middle. */
function showCurrent(): void {
  const contents = document.querySelector<HTMLElement>('#contents');
  const current = contents?.querySelector<HTMLElement>('[aria-current]');
  if (contents && current) contents.scrollTop = current.offsetTop - contents.clientHeight / 2;
}

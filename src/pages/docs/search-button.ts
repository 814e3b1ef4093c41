/** Shows the search button. The search itself is loaded at its first use: the button, `/` or Ctrl-K. */
export function showSearch(): void {
  const button = document.querySelector<HTMLButtonElement>('#search');
  if (!button) return;
  const open = async () => {
    const { openSearch } = await import('./search-dialog.ts');
    await openSearch(button.dataset['documents'] ?? '');
  };
  button.addEventListener('click', open);
  document.addEventListener('keydown', event => {
    const isTyping = event.target instanceof Element && event.target.matches('input, textarea, select');
    const isShortcut = (event.key === '/' && !isTyping) || (event.key === 'k' && (event.metaKey || event.ctrlKey));
    if (!isShortcut) return;
    event.preventDefault();
    open();
  });
  button.hidden = false;
}

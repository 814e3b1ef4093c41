const root = document.documentElement;
const system = matchMedia('(prefers-color-scheme: dark)');

/** Shows the button that changes between light and dark. This browser remembers the choice. */
export function showThemeButton(): void {
  const button = document.querySelector<HTMLButtonElement>('#theme');
  if (!button) return;
  const isDark = () => (root.dataset['theme'] ?? (system.matches ? 'dark' : 'light')) === 'dark';
  const label = () => {
    button.textContent = isDark() ? 'Light' : 'Dark';
  };
  button.addEventListener('click', () => {
    root.dataset['theme'] = isDark() ? 'light' : 'dark';
    localStorage.setItem('docs-theme', root.dataset['theme']);
    label();
  });
  system.addEventListener('change', label);
  label();
  button.hidden = false;
}

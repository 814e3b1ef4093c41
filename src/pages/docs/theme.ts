{
  // Runs before the page is drawn. Otherwise the page would first appear in the colours of the system.
  const chosen = localStorage.getItem('docs-theme');
  if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset['theme'] = chosen;
}

{
  // Runs before the page is drawn, so that the page never appears in other colours first.
  const chosen = localStorage.getItem('docs-theme');
  if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset['theme'] = chosen;
}

/** Opens the command palette. Its code is loaded at the first use. */
export async function openPalette(root: ParentNode & Node): Promise<void> {
  await import('./palette.ts');
  const existing = root.querySelector('pay-palette');
  const palette = existing ?? document.createElement('pay-palette');
  if (existing === null) root.append(palette);
  palette.open();
}

/** What travels only when the payer pays with a wallet in this browser: how that goes, and the wallet. */
export const walletChunks = () =>
  Promise.all([import('../wallets/wallet-panel.ts'), import('../wallets/freighter.ts')]);

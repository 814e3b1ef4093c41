/** Chains besides Stellar whose wallets a payout may name. The service checks each address when a request names it. */
export const walletChains = [
  ...(['ethereum', 'base', 'polygon', 'bnb', 'arbitrum', 'optimism', 'avalanche'] as const),
  ...(['bitcoin', 'litecoin', 'dogecoin', 'tron', 'solana', 'xrpl'] as const),
] as const;
export type WalletChain = (typeof walletChains)[number];

/** The networks by their names in the settings. */
export type StellarNetworkId = 'sandbox' | 'testnet' | 'public';

export type KnownAssets = Readonly<Record<string, string>>;

/** Circle's USDC and EURC, with the issuers that Circle publishes. The sandbox has its own assets. */
export const knownAssets: Readonly<Record<Exclude<StellarNetworkId, 'sandbox'>, KnownAssets>> = {
  testnet: {
    USDC: 'GBBD47IF6LWK7P7MDEVSCWR7DPUWV3NY3DTQEVFL4NAT4AQH3ZLLFLA5',
    EURC: 'GB3Q6QDZYTHWT7E5PVS3W7FUT5GVAFC5KSZFFLPU25GO7VTC3NM2ZTVO',
  },
  public: {
    USDC: 'GA5ZSEJYB37JRC5AVCIA5MOP4RHTM335X2KGX3IHOJAPP5RE34K4KZVN',
    EURC: 'GDHU6WRG4IEQXM5NZ4BMPKOXHW76MZM4Y2IEMFDVXBSDP6SJY4ITNPP2',
  },
};

export function knownAssetTexts(known: KnownAssets): string[] {
  return Object.entries(known).map(([code, issuer]) => `${code}:${issuer}`);
}

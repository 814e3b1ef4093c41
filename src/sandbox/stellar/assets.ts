/**
 * Assets that are issued on the sandbox network, by their code: `CODE:ISSUER`. The issuers are the sandbox’s own, since
 * it must be able to sign for them: the seed of each is `sha256('pay-checkout sandbox/issuer/CODE')`, known to
 * everybody. Whoever uses it over HTTP can give the asset away, and do nothing else (`seeded-guard.ts`). Held as data so that naming an asset loads no SDK.
 */
export const sandboxAssets = {
  USDC: 'USDC:GBEQ73RT2TYEFIGLUBSZCBMIEAE5KX5VLM7B4XNVD4Y5CGIRPVZ6TCLP',
  EURC: 'EURC:GCIDG723BMSJRHSMOWIXAJSG6GIOGP4KYQU2S66LPBTRVZZTRGNXT3QX',
  NGNC: 'NGNC:GBJQP53C23AZLN7ITE5L72T3R2IY6KZLKNY74IFBY2JTURIZZ6GACXFA',
  BRLC: 'BRLC:GBSSMOQOU6SCAHT5P3MDANGLUIVZ7MXA4A54DNF5FNE5CP3QSKTQ6MLE',
} as const satisfies Readonly<Record<string, string>>;

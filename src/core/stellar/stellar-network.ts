/**
 * The Stellar networks by their passphrases. Each signature covers the hash of a passphrase, so it is valid on one
 * network only.
 */

/** The public network, where money is real. */
export const publicPassphrase = 'Public Global Stellar Network ; September 2015';

/** Testnet and the sandbox, which wallets and libraries treat as a test network. */
export const testPassphrase = 'Test SDF Network ; September 2015';

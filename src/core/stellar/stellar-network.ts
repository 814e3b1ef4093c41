/**
 * The Stellar networks by their passphrases. Each signature covers the hash of a passphrase, so it is valid on one
 * network only.
 */

/** The passphrase of the public network, where money is real. */
export const publicPassphrase = 'Public Global Stellar Network ; September 2015';

/** The passphrase of testnet and of the sandbox. Wallets and libraries treat both as a test network. */
export const testPassphrase = 'Test SDF Network ; September 2015';

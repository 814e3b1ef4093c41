/**
 * The networks of Stellar by their passphrases: every signature is made over the hash of one as well, so that what was
 * signed for one network is worth nothing on another.
 */

/** Of the public network, where money is real. */
export const publicPassphrase = 'Public Global Stellar Network ; September 2015';

/** Of testnet, and of the sandbox: wallets and libraries take it for a test network. */
export const testPassphrase = 'Test SDF Network ; September 2015';

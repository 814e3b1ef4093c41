/** What every signature on the public network, where money is real, is made over as well. */
export const publicPassphrase = 'Public Global Stellar Network ; September 2015';

/** Of testnet, and of the sandbox: wallets and libraries take it for a test network. */
export const testPassphrase = 'Test SDF Network ; September 2015';

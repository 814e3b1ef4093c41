/** Decimals of every amount on Stellar (1 unit = 10,000,000 stroops). */
export const stellarDecimals = 7;

/** The largest amount on Stellar: 2^63 − 1 stroops (signed integers of 64 bits). */
export const mostStroops = 2n ** 63n - 1n;

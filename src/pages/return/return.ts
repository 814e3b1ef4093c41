import './return.css';

/** Time to read the message, in ms. */
const lookMs = 1_500;

// A browser closes only windows that a script opened; other windows keep the message.
if (window.parent === window) setTimeout(() => window.close(), lookMs);

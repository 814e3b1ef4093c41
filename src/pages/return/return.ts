import './return.css';

/** Time in ms for the payer to read the message. */
const lookMs = 1_500;

// A browser closes only windows that a script opened. Other windows keep the message.
if (window.parent === window) setTimeout(() => window.close(), lookMs);

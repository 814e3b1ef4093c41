import './return.css';

/** Long enough to read that all is well. */
const lookMs = 1_500;

// A browser closes only what a script opened: anywhere else the sentence stays.
if (window.parent === window) setTimeout(() => window.close(), lookMs);

/** What is said of the rate: nothing that a card's payer waits for. */
export const rateChunk = () => import('./rate.ts');

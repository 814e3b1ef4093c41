/** What travels only where a payment link is paid: what the link asks for, and the amount where the payer names it. */
export const linkChunk = () => import('./link.ts');

/** Names of mobile-money operators, for people. */
export const mobileMoneyNames: Readonly<Record<string, string>> = {
  mtn: 'MTN MoMo',
  mpesa: 'M-Pesa',
  airtel: 'Airtel Money',
  orange: 'Orange Money',
  wave: 'Wave',
};

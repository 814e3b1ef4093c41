/** Paying with a wallet in this browser, in English. Text before `|` is bold. */
export const walletStrings = {
  doing: {
    looking: 'Looking for {wallet}',
    connecting: 'Allow this page in {wallet}',
    reading: 'Looking at your account',
    building: 'Preparing your payment',
    signing: 'Confirm in {wallet}',
    submitting: 'Sending your payment',
  },
  again: 'Try again',
  next: 'Continue with {code}',
  sign: 'Confirm in {wallet}',
  check: 'Check again',
  stop: 'Do not wait for {wallet}',
  back: 'Use the code instead',
  get: 'Get {wallet}',

  missing:
    '{wallet} is not in this browser.|Add it and try again, or pay from any other Stellar wallet with the code above.',
  refused: 'You did not let this page see your account.|Nothing was sent. Try again, or pay with the code above.',
  silent: '{wallet} did not answer.|Open it, unlock it and try again, or pay with the code above.',
  elsewhere:
    'Your wallet is on {theirs}, this payment is on {ours}.|In {wallet}, open the list of networks at the top, choose {name}, then try again.',
  networks: { TESTNET: 'Test Net', PUBLIC: 'Main Net' },
  unread: 'Your account could not be looked at.|Nothing was sent. Try again, or pay with the code above.',
  accounts: {
    account_missing:
      'The account {account} does not exist on {ours} yet.|Put some XLM into it, or choose another account in {wallet}, then try again.',
    wrong_address:
      '{wallet} showed an account that cannot pay here.|Choose another account in {wallet}, then try again.',
  },

  choose: 'Pay {amount} with',
  account: 'Your account {account}',
  about: 'about {amount}',
  balance: 'You have {balance}',
  tooLittle: 'You have {balance}, not enough',
  noWay: 'You have {balance}, no exchange found',
  nothing: 'Nothing in this account is enough.|Put more into it or choose another account in {wallet}, then try again.',

  review:
    'You pay about {amount}, and never more than {max}.|The price may move by up to {slippage} % until the network has your payment. Beyond that, nothing is sent.',
  reviewExact: 'You pay {amount}.|It is what was asked for, so nothing is exchanged on the way.',
  details: 'Your payment',
  arrives: 'Arrives for this payment',
  from: 'From your account',
  route: 'Exchanged on the way',
  fee: 'Fee of the network, about',

  rejected: 'You did not confirm in {wallet}.|Nothing was sent. You can still confirm, or use the code instead.',
  unsigned: '{wallet} could not sign.|Nothing was sent. Open it, unlock it and confirm again.',
  unsure:
    'We do not know yet whether the network has your payment.|Please do not pay a second time. We keep looking, and this page changes by itself.',
  failed: 'That did not work.|Nothing was sent. Try again, or use the code instead.',
  /** Messages by the service's error code. */
  problems: {
    wallet_transaction_changed:
      'What {wallet} signed is not what was prepared.|Nothing was sent. Please confirm again.',
    wallet_transaction_expired: 'The time to confirm ran out.|Nothing was sent. Here is today’s price: confirm again.',
    stellar_price_moved:
      'The price moved further than allowed.|Nothing was sent. Here is today’s price: confirm again.',
    stellar_bad_signature:
      'The signature is not of the account {account}.|Nothing was sent. Choose that account in {wallet} and confirm again.',
    stellar_no_trustline:
      'Your account or the shop’s does not take {code}.|Nothing was sent. Pay with something else, or add {code} in {wallet}.',
    stellar_underfunded:
      'There is not enough {code} in your account.|Nothing was sent. Pay with something else, or put more into it.',
    stellar_no_path:
      '{code} cannot be exchanged for this payment right now.|Nothing was sent. Pay with something else.',
    stellar_account_missing:
      'Your account does not exist on this network.|Nothing was sent. Choose another account in {wallet}, then try again.',
  },
};

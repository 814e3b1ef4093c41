/** Notes about an open payment, in English. Text before `|` is bold. */
export const situationStrings = {
  /** `quiet`: no call failed. `unanswered`: a call that takes money got no answer. `lost`: another call got none. */
  offline: {
    quiet: 'You are offline.|This page goes on as soon as you are back.',
    unanswered: 'You are offline.|Your payment is safe: when you are back, we look whether it went through.',
    lost: 'You are offline.|That did not get through. Press again when you are back.',
  },
  unreachable: {
    quiet: 'The payment service does not answer.|We keep trying; nothing is lost.',
    unanswered: 'We got no answer.|Your payment is safe: trying again never takes the money twice.',
    lost: 'We got no answer.|Please press again.',
  },
  /** Used when the connection is back after a call without an answer that cannot have taken money. */
  lost: 'That did not get through.|Please press again.',
  short: 'We’ve received {received}.|Remaining balance: {amount}. Pay the rest any way you like.',
  /** Like `wrong`, if both the sent and the awaited asset are known. */
  wrongAsset:
    'You sent {sent}; we asked for {asked}.|It is safe: the shop sends it back or takes it. This payment is still open.',
  wrong: 'You sent a different asset.|It is safe: the shop sends it back or takes it. This payment is still open.',
  waiting: 'Your payment is on its way',
  seen: 'We have seen it and are waiting for confirmation. This takes seconds, rarely a minute.',
  seenOnChain: 'The network has it and confirms it within seconds.',
  confirmations: '{count} of {needed} confirmations so far.',
  leave: 'You can close this page. We’ll let the shop know.',
  steps: 'Step 2 of 3: seen, waiting for confirmation',
  failed: 'That did not work.|Nothing was taken. Please try again.',
};

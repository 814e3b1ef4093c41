/** Notes about an expired rate, in English. Text before `|` is bold. */
export const rateStrings = {
  lastMinute: 'One minute left at this rate.',
  refresh: 'Get today’s rate',
  over: 'The rate we held for you has run out.|Get today’s rate to go on. What you have typed stays.',
  overWaiting: 'The rate we held for you has run out.|A transfer you have sent still counts.',
  renewed: 'You have today’s rate.|You pay the same: {amount}.',
  before: '{amount} was',
  now: '{amount} is now',
};

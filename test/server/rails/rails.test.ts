import { expect, it } from 'vitest';
import { chooseCardRail } from '../../../src/server/rails/rails.ts';

const railOf = (id: string, livemode: boolean, currencies: readonly string[]) => ({
  id,
  livemode,
  takes: (currency: string) => currencies.includes(currency),
});

const cards = [
  railOf('euro', true, ['EUR']),
  railOf('all', true, ['EUR', 'USD']),
  railOf('test', false, ['EUR', 'USD']),
  railOf('second', false, ['EUR', 'JPY']),
];

it.each([
  [true, 'EUR', 'euro'],
  [true, 'USD', 'all'],
  [false, 'EUR', 'test'],
  [false, 'JPY', 'second'],
  [true, 'JPY', undefined],
])('in livemode %s, %s is charged at %s', (livemode, currency, id) => {
  expect(chooseCardRail(cards, { livemode, currency })?.id).toBe(id);
});

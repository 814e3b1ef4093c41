import { least } from '../../core/money.ts';
import { publicPassphrase } from '../../core/stellar/stellar-network.ts';
import { createAnswerCache } from '../platform/answer-cache.ts';
import type { LedgerOutcome, StellarNetwork } from '../stellar/network.ts';
import type { ChainWallets, WalletOutcome } from './chain.ts';
import { asked, failureOfCodes } from './stellar-failure.ts';
import { readHoldings, slippageBasisPoints } from './stellar-holdings.ts';

/** The highest fee of a payer's transaction, in stroops. */
const mostFee = 1_000_000n;
/** Milliseconds for which balances are cached: less than the time between two ledgers of a public network. */
const holdMs = 3_000;

/**
 * Payers' Stellar wallets. A transaction is a payment, or a path payment that delivers an exact amount (strict
 * receive). The Stellar SDK is loaded with the first transaction.
 */
export function createStellarWallets(network: StellarNetwork): ChainWallets {
  const fees = createAnswerCache({ holdMs: 5_000 }, () => network.fees());
  // Repeated and concurrent requests share one request to the network.
  const holdings = createAnswerCache({ holdMs }, key => {
    const [address = '', asset = '', amount = '0'] = key.split(' ');
    return readHoldings(network, address, { asset, amount: BigInt(amount) });
  });
  const fee = async () => {
    const { base, usual } = await fees.read('');
    return least(usual > base ? usual : base, mostFee);
  };
  return {
    names: ['freighter', 'sep7'],
    networkName: network.passphrase === publicPassphrase ? 'PUBLIC' : 'TESTNET',
    passphrase: network.passphrase,
    slippageBasisPoints,
    holdings: (address, due) => asked(() => holdings.read(`${address} ${due.asset} ${due.amount}`)),
    build: payment => asked(async () => await (await envelopes()).build(network, payment, await fee())),
    verify: (made, signed) => asked(async () => await (await envelopes()).verify(network, made, signed)),
    submit: async signed => {
      const outcome = await network.submit(signed);
      if (outcome.state === 'applied') return inLedger(outcome);
      if (outcome.state === 'refused') return { state: 'refused', ...failureOfCodes(outcome.codes) };
      return { state: 'open', seenUntil: null };
    },
    status: async hash => {
      const status = await asked(() => network.status(hash));
      return status.state === 'applied' ? inLedger(status) : { state: 'open', seenUntil: status.ingested.closedAt };
    },
  };
}

const envelopes = () => import('./stellar-wallet-envelope.ts');

function inLedger({ successful, codes }: LedgerOutcome): WalletOutcome {
  return successful ? { state: 'applied' } : { state: 'failed', ...failureOfCodes(codes) };
}

import { ExchangeError } from '../http-exchange.ts';
import { StellarUnavailable } from '../network.ts';
import { createHorizonClient, type HorizonTarget } from './horizon-client.ts';

/** Opens accounts on a test network, which its friendbot fills with 10,000 XLM. */
export interface Friendbot {
  /** Throws StellarUnavailable when there is no friendbot, it will not, or it does not answer. */
  open(address: string): Promise<void>;
}

/** The friendbot that a Horizon points at. */
export function createFriendbot(target: HorizonTarget): Friendbot {
  const client = createHorizonClient(target);
  return {
    open: async address => {
      const links = (await client.get(''))?.record('_links');
      const link = links?.has('friendbot') ? links.record('friendbot').text('href') : '';
      // As it is written there: https://friendbot.stellar.org/{?addr}
      const url = URL.parse(`${link.replace(/\{.*$/, '')}?addr=${address}`);
      if (url === null) throw new StellarUnavailable('this Horizon knows no friendbot');
      const answer = await target.http.send({ url }).catch(cause => {
        const reason = cause instanceof ExchangeError ? cause.message : 'it failed';
        throw new StellarUnavailable(`friendbot does not answer: ${reason}`, { cause });
      });
      // 400: it has opened the account before.
      if (answer.status !== 200 && answer.status !== 400) {
        throw new StellarUnavailable(`friendbot answers ${answer.status}`);
      }
    },
  };
}

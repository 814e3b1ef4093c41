import { ExchangeError, type HttpExchange } from '../http-exchange.ts';
import { StellarUnavailable } from './network.ts';

/** Opens accounts on testnet, which friendbot fills with 10,000 XLM. */
export interface Friendbot {
  /** Throws StellarUnavailable when friendbot will not, or does not answer. */
  open(address: string): Promise<void>;
}

const friendbotUrl = 'https://friendbot.stellar.org/';

/** Testnet’s friendbot, or another one at the address. */
export function createFriendbot(http: HttpExchange, url = friendbotUrl): Friendbot {
  return {
    open: async address => {
      const asked = new URL(url);
      asked.searchParams.set('addr', address);
      const answer = await http.send({ url: asked }).catch(cause => {
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

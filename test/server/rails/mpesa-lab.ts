import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { createHttpExchange } from '../../../src/server/platform/http-exchange.ts';
import type { MobileMoneyCollector } from '../../../src/server/rails/mobile-money/collector.ts';
import type { CallbackAddresses, MobileMoneyConnector } from '../../../src/server/rails/mobile-money/connector.ts';
import { createMpesaRail } from '../../../src/server/rails/mobile-money/mpesa.ts';
import { createMpesaExpress } from '../../../src/server/rails/mobile-money/mpesa-express.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { type FakeMpesa, startFakeMpesa } from './fake-mpesa.ts';
import { start } from './order-driver.ts';

/** The connector of M-Pesa with a fake M-Pesa that can call it. */
export interface MpesaLab {
  readonly mpesa: FakeMpesa;
  readonly database: TestDatabase;
  readonly addresses: CallbackAddresses;
  /** The rail that receives the callbacks. */
  readonly listening: MobileMoneyConnector;
  /** Whether callbacks arrive. */
  isHeard: boolean;
  /** Whether a callback makes the lab request the order's state, as the service does. */
  asksAgain: boolean;
  /** The same rail as another process would open it. `patience`: the longest wait for an answer, in milliseconds. */
  open(patience?: number): MobileMoneyConnector;
  /** The rail that collects, likewise. */
  openCollector(patience?: number): MobileMoneyCollector;
  close(): Promise<void>;
}

export async function startMpesaLab(): Promise<MpesaLab> {
  const [mpesa, database] = await Promise.all([startFakeMpesa(), createTestDatabase()]);
  const exchanges = [10_000, 250].map(timeoutMs => createHttpExchange({ timeoutMs, largestAnswerBytes: 10_000 }));
  const receiver = createServer(async (request, response) => {
    const body = await text(request);
    const token = (request.url ?? '/').slice(1);
    if (lab.isHeard) await collecting.receive(token, body);
    const order = lab.isHeard ? await lab.listening.receive(token, body) : null;
    if (order !== null && lab.asksAgain) await lab.listening.status([order.orderId], start);
    response.end();
  });
  await once(receiver.listen(0, '127.0.0.1'), 'listening');
  const addresses = addressesAt(`http://127.0.0.1:${(receiver.address() as AddressInfo).port}`);
  const partsFor = (patience = 10_000) => {
    const http = exchanges[patience < 1_000 ? 1 : 0];
    if (http === undefined) throw new Error('there is no such exchange');
    return { account: mpesa.account, db: database.db, http, addresses };
  };
  const open: MpesaLab['open'] = patience => createMpesaRail(partsFor(patience));
  const openCollector: MpesaLab['openCollector'] = patience => createMpesaExpress(partsFor(patience));
  const collecting = openCollector();
  const lab: MpesaLab = {
    mpesa,
    database,
    addresses,
    listening: open(),
    isHeard: true,
    asksAgain: false,
    open,
    openCollector,
    close: async () => {
      for (const http of exchanges) http.close();
      receiver.closeAllConnections();
      receiver.close();
      await mpesa.close();
      await database.drop();
    },
  };
  return lab;
}

/** Guessable callback URLs. The secret ones are tested with the service's routes. */
function addressesAt(url: string): CallbackAddresses {
  return {
    urlOf: (rail, purpose, { merchantId, orderId }) => `${url}/${rail}-${purpose}-${merchantId}-${orderId}`,
    open: (rail, purpose, token) => {
      const [toRail, toPurpose, merchantId, orderId] = token.split('-');
      if (toRail !== rail || toPurpose !== purpose || !merchantId || !orderId) return null;
      return { merchantId, orderId };
    },
  };
}

import { createHttpExchange } from '../../src/server/platform/http-exchange.ts';
import { createMtnCollections } from '../../src/server/rails/mobile-money/mtn-collections.ts';
import { startFakeMtn } from '../server/rails/fake-mtn.ts';
import { startMpesaLab } from '../server/rails/mpesa-lab.ts';
import { createTestDatabase } from '../support/database.ts';
import { describeCollectingRail, type PhoneAnswer } from './collecting-rail.ts';

describeCollectingRail('MTN MoMo, a fake', async () => {
  const [mtn, database, http] = [await startFakeMtn(), await createTestDatabase(), createHttpExchange()];
  mtn.failing.set('233241234401', 'NOT_ENOUGH_FUNDS');
  mtn.failing.set('233241234402', 'PAYER_NOT_FOUND');
  mtn.failing.set('233241234403', 'PAYER_LIMIT_REACHED');
  mtn.failing.set('233241234404', 'INTERNAL_PROCESSING_ERROR');
  const addresses = { urlOf: () => 'https://pay.example/', open: () => null };
  const open = () => createMtnCollections({ account: mtn.collecting, db: database.db, http, addresses });
  const requestsOf = (attemptId: string) => mtn.requests.filter(({ body }) => body['externalId'] === attemptId);
  const endings = {
    approve: { status: 'SUCCESSFUL' },
    refuse: { status: 'FAILED', reason: 'APPROVAL_REJECTED' },
    ignore: { status: 'FAILED', reason: 'EXPIRED' },
  } as const satisfies Record<PhoneAnswer, object>;
  return {
    rail: open(),
    reopened: open(),
    number: '+233241234567',
    refusing: {
      insufficient_funds: '+233241234401',
      number_not_registered: '+233241234402',
      operator_limit: '+233241234403',
      processing_error: '+233241234404',
    },
    answer: async (attemptId, answer) => {
      for (const each of requestsOf(attemptId)) if (each.status === 'PENDING') Object.assign(each, endings[answer]);
    },
    shown: async attemptId => requestsOf(attemptId).length,
    close: async () => {
      http.close();
      await Promise.all([mtn.close(), database.drop()]);
    },
  };
});

describeCollectingRail('M-Pesa, a fake', async () => {
  const lab = await startMpesaLab();
  const codes = { insufficient_funds: '1', wrong_pin: '2001', operator_limit: '4', processing_error: '1025' };
  const numbers = Object.entries(codes).map(([code, resultCode], index) => {
    lab.mpesa.express.deciding.set(`25471234540${index}`, resultCode);
    return [code, `+25471234540${index}`];
  });
  const pushesOf = (attemptId: string) =>
    lab.mpesa.express.pushes.filter(({ body }) => String(body['CallBackURL']).endsWith(`-${attemptId}`));
  const resultCodes = { approve: '0', refuse: '1032', ignore: '1037' } as const satisfies Record<PhoneAnswer, string>;
  return {
    rail: lab.openCollector(),
    reopened: lab.openCollector(),
    number: '+254712345678',
    refusing: { ...Object.fromEntries(numbers), number_not_registered: '+254700000000' },
    answer: async (attemptId, answer) => {
      for (const push of pushesOf(attemptId)) push.resultCode ??= resultCodes[answer];
    },
    shown: async attemptId => pushesOf(attemptId).length,
    close: () => lab.close(),
  };
});

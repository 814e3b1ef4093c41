import type { Strings } from './en.ts';
import { cardFrameStrings, cardStrings } from './ja/card.ts';
import { bankStrings, challengeStrings, cryptoStrings } from './ja/methods.ts';
import {
  contactStrings,
  detailsStrings,
  launcherStrings,
  outcomeStrings,
  payLinkStrings,
  problems,
  rateStrings,
  rowStrings,
  situationStrings,
  troubleStrings,
} from './ja/views.ts';
import { walletStrings } from './ja/wallet.ts';

/** The checkout in Japanese. */
export const strings: Strings = {
  lang: 'ja',
  dir: 'ltr',
  label: 'お支払い手続き',
  methods: 'お支払い方法を選んでください',
  card: 'カード',
  bank_transfer: '銀行',
  crypto: '暗号資産',
  loading: 'お支払い画面を読み込んでいます',
  order: '注文 {reference}',
  oneItem: '1点',
  items: '{count}点',
  stillDue: 'お支払い残額',
  held: 'レート保証：残り {time}',
  received: '{amount} のうち {received} を受領済み',
  receivedHeld: '{amount} のうち {received} を受領済み · レート保証：残り {time}',
  over: 'レートの保証は終了しました',
  lastMinute: 'このレートはあと1分です。',
  settles: 'Stellar で決済',
  testMode: 'テストモード',
  unloaded: 'このページの一部を読み込めませんでした。',
  tryAgain: 'もう一度試す',
  parts: {
    bank: bankStrings,
    challenge: challengeStrings,
    card: cardStrings,
    cardFrame: cardFrameStrings,
    contact: contactStrings,
    crypto: cryptoStrings,
    details: detailsStrings,
    launcher: launcherStrings,
    outcome: outcomeStrings,
    payLink: payLinkStrings,
    rate: rateStrings,
    rows: rowStrings,
    situation: situationStrings,
    trouble: troubleStrings,
    wallet: walletStrings,
    problems,
  },
};

import { h } from '../shop/dom.ts';
import { openWalletKey } from './wallet-key.ts';

void openWalletKey().then(({ address }) => document.body.append(h('main', {}, h('code', {}, address))));

import { recordBrowserCalls } from './panel/browser-calls.ts';
import { createPanel } from './panel/panel.ts';
import { showProxyCheckout, showRedirectCheckout, showScriptTagCheckout } from './shop/checkout-pages.ts';
import { showOrder } from './shop/order-page.ts';
import { showPayouts } from './shop/payouts-page.ts';
import { showProducts } from './shop/products-page.ts';
import { shopFrame } from './shop/shop-frame.ts';

const pages: Readonly<Record<string, (main: HTMLElement) => void | Promise<void>>> = {
  products: showProducts,
  'script-tag': showScriptTagCheckout,
  proxy: showProxyCheckout,
  redirect: showRedirectCheckout,
  order: showOrder,
  payouts: showPayouts,
};

const panel = createPanel();
recordBrowserCalls(panel.add);
const main = shopFrame(panel.element, panel.toggle);
void pages[document.body.dataset['page'] ?? '']?.(main);

import { h } from '../shop/dom.ts';
import { copyable, note, screenHead } from './elements.ts';
import type { Screen } from './wallet-store.ts';

/** The receive screen: the wallet's address and its QR code. */
export const showReceive: Screen = ({ place, wallet, signal }) => {
  const { address } = wallet.key;
  const code = h('div.qr-place');
  const hint = h('div');
  place.replaceChildren(
    screenHead('Receive'),
    h('p.second', 'Money for this wallet goes to this address.'),
    code,
    h('p.whole-address', copyable('your address', address, address)),
    hint,
  );
  void qrPicture(address, 'Your address as a QR code').then(picture => signal.aborted || code.replaceChildren(picture));
  wallet.follow(({ account }) => {
    const isNew = account?.exists === false;
    const held = account?.holdings.map(({ name, asset }) => name ?? asset).join(', ') ?? '';
    hint.replaceChildren(
      isNew
        ? note('warn', 'Only XLM can arrive yet.', 'The first of it opens the account; other assets come after that.')
        : note('plain', 'It can hold:', `${held}. Another asset has to be added first, under “Test money”.`),
    );
  }, signal);
};

const svgNamespace = 'http://www.w3.org/2000/svg';
/** Width of the white border in modules (ISO/IEC 18004). */
const quietZone = 4;

/** A QR code, dark on white in every theme. Loads the encoder at first use. */
async function qrPicture(text: string, label: string): Promise<SVGSVGElement> {
  const { create } = await import('qrcode');
  const { modules } = create(text, { errorCorrectionLevel: 'M' });
  const side = modules.size + 2 * quietZone;
  let path = '';
  for (let row = 0; row < modules.size; row++) {
    for (let column = 0; column < modules.size; column++) {
      if (modules.get(row, column)) path += `M${column + quietZone} ${row + quietZone}h1v1h-1z`;
    }
  }
  const svg = document.createElementNS(svgNamespace, 'svg');
  for (const [name, value] of Object.entries({ viewBox: `0 0 ${side} ${side}`, role: 'img', 'aria-label': label })) {
    svg.setAttribute(name, value);
  }
  svg.setAttribute('class', 'qr');
  svg.setAttribute('shape-rendering', 'crispEdges');
  const dark = document.createElementNS(svgNamespace, 'path');
  dark.setAttribute('d', path);
  svg.append(dark);
  return svg;
}

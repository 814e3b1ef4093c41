import type { Page } from 'playwright';

/**
 * Texts in this part of the page that are wrongly broken across lines: amounts with their currency, and words that
 * would fit on a line.
 */
export async function brokenTextsIn(page: Page, part: string): Promise<string[]> {
  return await page.locator(part).evaluate(host => {
    const root = host.shadowRoot ?? host;
    const sign = '[\\p{Sc}]|د\\.ك\\.';
    const figure = new RegExp(
      `(?<![\\p{L}\\d])[-−\\u200e\\u200f\\u061c]*(?:(?:${sign})\\u00a0?)?\\d(?:[\\d.,]*\\d)?(?:\\u00a0?(?:${sign}|%))?`,
      'gu',
    );
    const word = /[\p{Script=Latin}\p{Script=Arabic}\p{M}\d@.]{2,}/gu;
    const widthOf = (node: Node) => {
      const block = node.parentElement?.closest('.card, header, footer, form, main') as HTMLElement;
      const { paddingInlineStart, paddingInlineEnd } = getComputedStyle(block);
      return block.clientWidth - Number.parseFloat(paddingInlineStart) - Number.parseFloat(paddingInlineEnd);
    };
    const torn: string[] = [];
    const look = (node: Node, matches: Iterable<RegExpMatchArray>, isAlwaysWhole: boolean) => {
      for (const match of matches) {
        const range = document.createRange();
        range.setStart(node, match.index ?? 0);
        range.setEnd(node, (match.index ?? 0) + match[0].length);
        const rects = [...range.getClientRects()].filter(({ width }) => width > 0);
        const lines = new Set(rects.map(({ top, height }) => Math.round((top + height / 2) / 8)));
        const width = rects.reduce((sum, rect) => sum + rect.width, 0);
        if (lines.size > 1 && (isAlwaysWhole || width < widthOf(node))) torn.push(`${match[0]} of ${node.textContent}`);
      }
    };
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (!node.parentElement?.checkVisibility() || node.parentElement.closest('noscript')) continue;
      const text = node.textContent ?? '';
      look(node, text.matchAll(figure), true);
      look(node, text.matchAll(word), false);
    }
    return torn;
  });
}

import { textElement } from './text-element.ts';

/** Pauses before the page is asked for, in ms: money is counted a moment after the payer hears of it. */
const pauses = [200, 600, 1_500, 4_000, 10_000];

/** Says what is left above the checkout, at once: `figure` is the sum, `word` what it is. */
export function showLeft(figure: string, word: string): void {
  const amount = document.querySelector('.amount');
  amount?.replaceChildren(textElement('bdi', figure), ' ', textElement('small', word));
}

/**
 * Brings the summary and the sheet up to date around the checkout, as soon as the service has counted what was paid:
 * what it still asked for was `before`, in minor units. Without an answer the page stays as it is.
 */
export async function showAsItStands(page: HTMLElement, before: string): Promise<void> {
  for (const pause of pauses) {
    await new Promise(done => setTimeout(done, pause));
    const now = await readPage();
    if (now === null || now.querySelector<HTMLElement>('form')?.dataset['most'] === before) continue;
    for (const part of ['.summary', '.sheet']) {
      const fresh = now.querySelector(part);
      if (fresh) page.querySelector(part)?.replaceWith(document.adoptNode(fresh));
    }
    return;
  }
}

/** The page as the service has it now; null when it cannot be had. A request that parses its answer runs nothing in it. */
function readPage(): Promise<Document | null> {
  return new Promise(done => {
    const request = new XMLHttpRequest();
    request.open('GET', location.pathname);
    request.responseType = 'document';
    request.onload = () => done(request.status === 200 ? request.responseXML : null);
    request.onerror = () => done(null);
    request.send();
  });
}

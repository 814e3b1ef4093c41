/** Pauses between reads of the page, in ms. The service counts a payment shortly after its completion. */
const pauses = [200, 600, 1_500, 4_000, 10_000];

/** Shows the remaining amount above the checkout, with its notes. */
export function showRemaining(figure: string, notes: readonly string[]): void {
  const amount = document.querySelector('.amount');
  amount?.replaceChildren(textElement('bdi', figure), ...notes.flatMap(note => [' ', textElement('small', note)]));
}

/**
 * Updates the summary and the sheet when the service has counted the payment. `before`: the previous remaining amount
 * in minor units. If the service has not counted the payment by the last read, the page does not change.
 */
export async function refreshSummary(page: HTMLElement, before: string): Promise<void> {
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

/** Reads the page again. Null after a failure. A document that XMLHttpRequest parses runs no script. */
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

/** Creates an element with a text. */
export function textElement<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  text: string,
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  element.textContent = text;
  return element;
}

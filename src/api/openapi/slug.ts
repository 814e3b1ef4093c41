/** Text as part of a URL. For example, `Card payments` becomes `card-payments`. */
export function slugOf(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_]+/gu, '-')
    .replace(/^-|-$/g, '');
}

/**
 * Characters that steer a terminal, except line breaks and tabs: control characters with the sequence that they begin,
 * and marks that turn the direction of text. Names and messages of others may contain them.
 */
const steering = /(?![\n\t])\p{Cc}(?:\[[0-?]*[ -/]*[@-~])?|[\u202a-\u202e\u2066-\u2069]/gu;

/** Text for a terminal, without control characters. Keeps the line breaks and tabs that the commands write. */
export function plainText(text: string): string {
  return text.replace(steering, '');
}

/** A value in one line: line breaks and tabs become spaces. */
export function oneLine(text: string): string {
  return plainText(text.replace(/[\t\n\r]+/g, ' '));
}

/** JSON in one line. Also escapes the control characters that JSON allows in texts. */
export function plainJson(value: unknown): string {
  return JSON.stringify(value).replace(
    steering,
    text => `\\u${text.charCodeAt(0).toString(16).padStart(4, '0')}${text.slice(1)}`,
  );
}

/** Maximum characters of an answer that are shown. */
const limit = 200_000;

/** The body of an answer as readable text: JSON is indented, other texts are unchanged, and files are not shown. */
export async function answerText(answer: Response): Promise<string> {
  const type = answer.headers.get('content-type') ?? '';
  // A stream never ends, so it is not read.
  if (type.startsWith('text/event-stream')) {
    await answer.body?.cancel();
    return 'The stream is open. Follow it with a program.';
  }
  if (!/json|text|csv|xml/.test(type)) return `${type}, not shown here.`;
  const text = (await answer.text()).slice(0, limit);
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** A document cannot be drawn, and a retry is unlikely to help. Its mail is sent without the document. */
export class DrawingError extends Error {
  constructor(reason: string) {
    super(`a document could not be drawn: ${reason}`);
    this.name = 'DrawingError';
  }
}

/** Whether the bytes are ASCII without control characters: what home domains and data names may be. */
export const isPlainText = (bytes: Uint8Array): boolean => bytes.every(byte => byte >= 0x20 && byte < 0x7f);

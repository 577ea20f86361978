/** Without control characters: escape sequences of others could rewrite what stands on the terminal already. */
export function printable(text: string): string {
  return printableLines(text.replace(/[\t\n\r]/g, " "))
}

/** The same for a text of several lines. */
export function printableLines(text: string): string {
  return text.replace(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, "\ufffd")
}

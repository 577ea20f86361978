/** The text without the given character at its end, however often it stands there: "a//" without "/" is "a". Linear, unlike a search for /\/+$/. */
export function withoutTrailing(text: string, character: string): string {
  let end = text.length
  while (end > 0 && text[end - 1] === character) end--
  return text.slice(0, end)
}

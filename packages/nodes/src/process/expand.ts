/** `$(NAME)` becomes its value; `$$(NAME)` is `$(NAME)` itself; an unknown name stays as it is. */
export function expand(text: string, known: ReadonlyMap<string, string>): string {
  // What follows a "$(" that is never closed is part of that match: it is looked at once, not again from every "$(" in it.
  return text.replace(/\$\$|\$\(([^)]*)(\)?)/g, (whole, name: string | undefined, end: string | undefined) => {
    if (name === undefined) return "$"
    if (end !== ")") return whole.replaceAll("$$", () => "$")
    return known.get(name) ?? whole
  })
}

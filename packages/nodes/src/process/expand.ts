/** `$(NAME)` becomes its value; `$$(NAME)` is `$(NAME)` itself; a name that nobody knows stays as it is. */
export function expand(text: string, known: ReadonlyMap<string, string>): string {
  return text.replace(/\$\$|\$\(([^)]*)\)/g, (whole, name: string | undefined) => {
    if (name === undefined) return "$"
    return known.get(name) ?? whole
  })
}

/** The values of each name, in their order. One pass: clients without credentials choose how many names there are. */
export function readQuery(parameters: Iterable<readonly [name: string, value: string]>): Record<string, string[]> {
  // Without a prototype: "__proto__" is a name like any other.
  const query: Record<string, string[]> = Object.create(null)
  for (const [name, value] of parameters) {
    const before = query[name]
    if (before === undefined) query[name] = [value]
    else before.push(value)
  }
  return query
}

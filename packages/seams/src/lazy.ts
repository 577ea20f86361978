/** Makes a value when it is first asked for, and keeps it: a start pays only for what it meets. */
export function lazy<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

interface Named {
  list(filter: { readonly name: string }, options: { readonly signal: AbortSignal }): Promise<readonly { readonly id: string }[]>
}

/** Returns the objects that have a name which stands where an ID is expected. Empty where there is none, or where the cloud does not answer. */
export async function namesakes(collection: Named, name: string, signal: AbortSignal): Promise<string> {
  const found = await collection.list({ name }, { signal }).catch(() => [])
  if (found.length === 0) return ""
  return ` (that is the name of ${found.map(({ id }) => id).join(" and of ")})`
}

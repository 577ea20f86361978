interface Named {
  list(filter: { readonly name: string }, options: { readonly signal: AbortSignal }): Promise<readonly { readonly id: string }[]>
}

/** Whoever wrote a name where an ID is wanted: whose name it is. Says nothing where there is none, or where nobody tells. */
export async function namesakes(collection: Named, name: string, signal: AbortSignal): Promise<string> {
  const found = await collection.list({ name }, { signal }).catch(() => [])
  if (found.length === 0) return ""
  return ` (that is the name of ${found.map(({ id }) => id).join(" and of ")})`
}

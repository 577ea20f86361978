import { abortWith } from "@pilothouse/seams"

/**
 * Works while the caches are kept; these end last, because loops that end what they have in hand still read them.
 * Caches that fail, which none should, end the work: whoever went on without them would only look alive.
 */
export async function withCaches(
  watch: (signal: AbortSignal) => Promise<unknown>,
  work: (stop: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const [caches, ending] = [new AbortController(), new AbortController()]
  const failures: unknown[] = []
  using _stop = abortWith(ending, signal)
  const watching = watch(caches.signal).catch((error: unknown) => {
    failures.push(error)
    ending.abort()
  })
  try {
    await work(ending.signal)
  } finally {
    caches.abort()
    await watching
  }
  if (failures.length > 0) throw failures[0]
}

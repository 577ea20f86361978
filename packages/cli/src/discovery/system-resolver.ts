import { Resolver } from "node:dns/promises"
import type { ResolveName } from "@pilothouse/discovery"
import { onAbort } from "@pilothouse/seams"

type Family = "resolve4" | "resolve6"

interface Asked {
  readonly records: readonly { readonly address: string; readonly ttl: number }[]
  /** Why there was no answer. */
  readonly failure?: Error
}

/** What DNS says when it has asked and there is nothing: an answer, not a failure. */
const nothingThere: readonly unknown[] = ["ENOTFOUND", "ENODATA"]

/** Asks the name servers of this machine, or others, for both families; one of them is enough. Names are taken as whole: search domains do not count. */
export function systemResolver(servers?: readonly string[]): ResolveName {
  return async (name, signal) => {
    const resolver = new Resolver({ timeout: 5_000, tries: 1 })
    if (servers !== undefined) resolver.setServers(servers)
    using _cancelled = onAbort(signal, () => resolver.cancel())
    const [four, six] = await Promise.all([ask(resolver, "resolve4", name), ask(resolver, "resolve6", name)])
    const records = [...four.records, ...six.records]
    // The family that failed may have all the addresses: without any, no server has said that there are none.
    const failure = four.failure ?? six.failure
    if (failure !== undefined && records.length === 0) throw failure
    const seconds = Math.min(...records.map(({ ttl }) => ttl))
    return { addresses: records.map(({ address }) => address), ttl: records.length === 0 ? 0 : seconds * 1000 }
  }
}

async function ask(resolver: Resolver, family: Family, name: string): Promise<Asked> {
  try {
    return { records: await resolver[family](name, { ttl: true }) }
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined
    if (nothingThere.includes(code)) return { records: [] }
    return { records: [], failure: error instanceof Error ? error : new Error(String(error)) }
  }
}

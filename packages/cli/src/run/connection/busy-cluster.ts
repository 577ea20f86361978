import { type Log, messageOf, PilothouseError, parseJson, type TransportResponse } from "@pilothouse/seams"
import { version } from "../../version.ts"
import type { SwappableTransport } from "./swappable-transport.ts"

/**
 * A cluster of `pilothouse up` has its controllers in itself, and shows their trace: two sets of controllers would undo each other's work.
 * A server that is not ours is asked for its version only, which every client may see.
 */
export async function refuseBusyCluster(
  { transport, server }: Pick<SwappableTransport, "transport" | "server">,
  log: Log,
  signal?: AbortSignal,
): Promise<void> {
  const headers = { "user-agent": `pilothouse/${version()}` }
  const ask = (path: string) => transport({ verb: "GET", path, query: path === "/version" ? {} : { key: "none" }, headers, signal })
  try {
    if (compilerOf(await ask("/version")) !== "pilothouse") return
    if ((await ask("/debug/trace")).status !== 200) return
  } catch (error) {
    if (signal?.aborted) return
    // It may come up after us: the caches try again and again.
    return log.warn("the API server cannot be reached yet", { server, error: messageOf(error) })
  }
  throw new PilothouseError(
    "USAGE",
    `expected a cluster without controllers at ${server}, found one of "pilothouse up", whose own controllers work; start its API server alone with "pilothouse apiserver", or look with --dry-run`,
  )
}

/** What a server says of itself; other than ours, and whatever is not one, say something else. */
function compilerOf({ status, body }: TransportResponse): unknown {
  if (status !== 200 || body.type === "stream") return undefined
  const value: unknown = body.type === "value" ? body.value : parsed(new TextDecoder().decode(body.bytes))
  return typeof value === "object" && value !== null && "compiler" in value ? value.compiler : undefined
}

function parsed(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    // No Kubernetes answers so; the controllers will say what is wrong.
    return undefined
  }
}

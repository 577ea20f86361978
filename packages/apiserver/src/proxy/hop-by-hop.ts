import type { HeaderMap } from "@pilothouse/seams"
import { hopByHopHeaders } from "../response/hop-by-hop-headers.ts"

/**
 * Returns the headers of a request that are sent on to another server: the caller's credentials, and what the next connection has of its own, do
 * not.
 */
export function requestHeaders(headers: HeaderMap): HeaderMap {
  const dropped = new Set([...connectionHeaders(headers), "authorization", "content-length"])
  const kept = Object.entries(headers).filter(([name]) => !hopByHopHeaders.has(name) && !dropped.has(name))
  return Object.fromEntries(takesTrailers(headers) ? [...kept, ["te", "trailers"]] : kept)
}

/** The one part of TE that a proxy may say too, as Go's does: gRPC servers insist on it. */
function takesTrailers({ te = "" }: HeaderMap): boolean {
  return te.split(",").some((coding) => coding.trim().toLowerCase() === "trailers")
}

/** Returns the headers of a response that are sent back to the client. This server alone decides which origins may read answers. */
export function answerHeaders(headers: HeaderMap): HeaderMap {
  const dropped = new Set(connectionHeaders(headers))
  const isKept = (name: string) => !hopByHopHeaders.has(name) && !dropped.has(name) && !name.startsWith("access-control-")
  const { "cache-control": own, ...kept } = Object.fromEntries(Object.entries(headers).filter(([name]) => isKept(name)))
  // It is said beside what this server says of all its answers.
  return own === undefined ? kept : { ...kept, "cache-control": `no-cache, private, ${own}` }
}

/** Those that a message says are of its own connection only. */
function connectionHeaders({ connection = "" }: HeaderMap): readonly string[] {
  return connection
    .toLowerCase()
    .split(",")
    .map((name) => name.trim())
}

/** The addresses that a request has come through: the client's is the last. */
export function forwardedFor(headers: HeaderMap, address: string): string {
  const before = headers["x-forwarded-for"]
  return before === undefined ? address : `${before}, ${address}`
}

/** The request for another protocol, which is of one connection too. */
export function upgradeHeaders(headers: HeaderMap): HeaderMap {
  return { connection: "Upgrade", upgrade: headers.upgrade ?? "" }
}

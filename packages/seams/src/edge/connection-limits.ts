/** What the clients of one listening socket may hold, and for how long. Times are milliseconds; Infinity switches a limit off. */
export interface ConnectionLimits {
  /** Open connections in all. */
  readonly total: number
  /** Open connections of one remote address: one client cannot take the room of all others. */
  readonly perAddress: number
  /** From the accepted connection to the end of the TLS handshake. */
  readonly handshake: number
  /** From there to the headers of the first request. */
  readonly firstRequest: number
  /** Without a request. Half-written headers of HTTP/2 look the same, so it also limits those; their memory is limited by `headerBytes`. */
  readonly idle: number
  /** Without a byte taken by the client while an answer waits for it. */
  readonly stall: number
  /** Bytes that all connections together may have sent without completing the headers of a request: those are kept in memory. */
  readonly headerBytes: number
}

/**
 * Go's server has 10 s for a preface of HTTP/2, kube-apiserver 32 s for headers, 60 s for a request with its answer, and 90 s for idle connections, as
 * Go's clients have: who ends a connection earlier than its client fails the request that the client sends at that moment.
 */
const times = { handshake: 10_000, firstRequest: 30_000, idle: 90_000, stall: 60_000 }

const headerBytes = 64 * 1024 * 1024

const maxConnections = 10_000

/** Limits of a listening socket that may use a share (0 to 1) of the descriptors this process can open. */
export function connectionLimits(share: number, max = maxConnections): ConnectionLimits {
  const total = Math.max(1, Math.min(max, Math.floor(descriptorLimit() * share)))
  return { total, perAddress: Math.max(1, Math.ceil((total * 2) / 3)), headerBytes, ...times }
}

/** Infinity where the system does not tell. */
function descriptorLimit(): number {
  try {
    return parseDescriptorLimit(process.getBuiltinModule("node:fs").readFileSync("/proc/self/limits", "utf8"))
  } catch {
    // Only Linux has this file.
    return Number.POSITIVE_INFINITY
  }
}

/** The soft limit in a line such as "Max open files            1024                 524288               files". */
export function parseDescriptorLimit(text: string): number {
  const line = text.split("\n").find((one) => one.startsWith("Max open files"))
  const limit = Number(line?.split(/\s+/)[3])
  return Number.isNaN(limit) ? Number.POSITIVE_INFINITY : limit
}

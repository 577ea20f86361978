import { isPodTerminal } from "@pilothouse/api"
import type { Observed } from "../observe.ts"

/** Hands out the free addresses of a node's pod network, lowest first. */
export interface PodAddresses {
  /** Undefined when all 254 are taken. A process needs one of this host. */
  next(ofThisHost?: boolean): string | undefined
}

/**
 * A pod that has finished keeps its address in its status, but not on the network.
 * Those of this host look like the others: 127.116.1.5 for 10.244.1.5, so that two nodes never give away the same.
 */
export function podAddresses({ node, pods }: Observed): PodAddresses {
  const prefix = (node.spec?.podCIDR ?? "10.244.0.0/24").split(".").slice(0, 3).join(".")
  // Most looks find every pod with an address: nobody asks.
  let used: ReadonlySet<string | undefined> | undefined
  let last = 0
  return {
    next(ofThisHost = false) {
      used ??= new Set(pods.filter((pod) => !isPodTerminal(pod)).map((pod) => pod.status?.podIP))
      while (++last < 255) {
        const address = `${prefix}.${last}`
        const loopback = loopbackOf(address)
        if (!used.has(address) && !used.has(loopback)) return ofThisHost ? loopback : address
      }
      return undefined
    },
  }
}

/** 127.64.0.0/10: neither 127.0.0.1, where everybody listens, nor the upper half, where balancers do. */
function loopbackOf(address: string): string {
  const [, second, ...rest] = address.split(".")
  return ["127", (Number(second) & 63) | 64, ...rest].join(".")
}

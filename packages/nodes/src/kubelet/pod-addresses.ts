import { isPodTerminal } from "@pilothouse/api"
import type { Observed } from "./observe.ts"

/** Hands out the free addresses of a node's pod network, lowest first. */
export interface PodAddresses {
  /** Undefined when all 254 are taken. */
  next(): string | undefined
}

/** A pod that has finished keeps its address in its status, but not on the network. */
export function podAddresses({ node, pods }: Observed): PodAddresses {
  const prefix = (node.spec?.podCIDR ?? "10.244.0.0/24").split(".").slice(0, 3).join(".")
  const used = new Set(pods.filter((pod) => !isPodTerminal(pod)).map((pod) => pod.status?.podIP))
  let last = 0
  return {
    next() {
      while (++last < 255) {
        const address = `${prefix}.${last}`
        if (!used.has(address)) return address
      }
      return undefined
    },
  }
}

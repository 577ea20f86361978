import type { Pod } from "@pilothouse/api/core/v1"
import { messageOf } from "@pilothouse/seams"
import { decodeVif } from "../versioned-objects/annotations.ts"
import { vifAnnotation } from "./annotations.ts"

/**
 * Returns what kuryr's CNI plugin reports to a kubelet: the address of a pod once its VIF is active, before that what it waits for.
 * Simulated kubelets take it as their pod network.
 */
export function podAddress({ metadata }: Pod): { readonly address: string } | { readonly waiting: string } {
  const who = `${metadata.namespace}/${metadata.name}`
  const text = metadata.annotations?.[vifAnnotation]
  if (text === undefined || text === "") return { waiting: `a VIF on ${who}: the handler vif writes it` }
  try {
    const { active, id, network } = decodeVif(text)
    if (!active) return { waiting: `the VIF of ${who}: the port ${id} is not active yet` }
    const address = network?.subnets?.flatMap(({ ips = [] }) => ips)[0]?.address
    return address === undefined ? { waiting: `an address in the VIF of ${who}` } : { address }
  } catch (error) {
    return { waiting: `a VIF on ${who} that can be read: ${messageOf(error)}` }
  }
}

import { sharesOneAddress } from "../../kubelet/node/simulated-node.ts"
import type { Filter } from "./filter.ts"
import { forGood } from "./refuse.ts"

/** All simulated nodes are this one host: where it has one loopback address, a port that a process pod listens on is taken on every one of them. */
export const processPorts: Filter = ({ pod, nodes }) => {
  if (pod.processPorts.length === 0 || nodes.placed.processPorts.areFree(pod.processPorts)) return undefined
  const ports = [...new Set(pod.processPorts.map(({ port }) => port.replace(/^\w+ /, "")))].join(", ")
  const refusal = forGood(
    `node(s) share the one loopback address of this system, on which another process pod has port ${ports}: one pod per port`,
  )
  return ({ node }) => (sharesOneAddress(node) ? refusal : undefined)
}

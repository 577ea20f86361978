import type { NodeView } from "../cache/node-state.ts"
import type { Filter, Refusal } from "./filter.ts"

interface Asked {
  readonly slot: number
  readonly amount: number
}

/** All that is lacking is told, as upstream does. */
export const resources: Filter = ({ pod, nodes }) => {
  const asked = pod.requests.flatMap((amount, slot): readonly Asked[] => (amount > 0 ? [{ slot, amount }] : []))
  return (node) =>
    node.podCount < node.allowedPods && fits(asked, node) ? undefined : refusal(asked, node, (slot) => nodes.slots.nameOf(slot))
}

/** A plain controller: it is asked five million times for ten thousand pods and five hundred nodes. */
function fits(asked: readonly Asked[], node: NodeView): boolean {
  for (const one of asked) if (isLacking(one, node)) return false
  return true
}

function isLacking({ slot, amount }: Asked, { allocatable, requested }: NodeView): boolean {
  return amount > (allocatable[slot] ?? 0) - (requested[slot] ?? 0)
}

function refusal(asked: readonly Asked[], node: NodeView, nameOf: (slot: number) => string): Refusal {
  const lacking = asked.filter((one) => isLacking(one, node))
  const reasons = lacking.map(({ slot }) => `Insufficient ${nameOf(slot)}`)
  return {
    reasons: node.podCount < node.allowedPods ? reasons : ["Too many pods", ...reasons],
    curable: lacking.every(({ slot, amount }) => amount <= (node.allocatable[slot] ?? 0)),
  }
}

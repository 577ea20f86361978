import type { NodeView } from "../cache/node-state.ts"
import type { Observed } from "../cache/observe.ts"
import { checksFor, findRefusal, type NamedCheck, type NamedRefusal } from "./filter.ts"

/**
 * Returns the refusal of a node to which pods of equal or higher priority are nominated: the pod has to fit with them and, as they may never
 * come, without them.
 */
export function findRefusalWithNominated(observed: Observed, checks: readonly NamedCheck[], node: NodeView): NamedRefusal | undefined {
  const { pod, nodes } = observed
  const nominated = nodes.nominatedOn(node.name)
  // The usual case: it is asked five million times for ten thousand pods and five hundred nodes.
  if (nominated.length === 0) return findRefusal(checks, node)
  const expected = nominated.filter(({ uid, priority }) => uid !== pod.uid && priority >= pod.priority)
  return nodes.with(expected, node.name, () => findRefusal(checksFor(observed), node)) ?? findRefusal(checks, node)
}

import { formatLabelSelector, matchesLabels, selectorFromLabels } from "@pilothouse/api"
import type { DaemonSet } from "@pilothouse/api/apps/v1"
import { nodes } from "@pilothouse/api/core/v1"
import type { Client } from "@pilothouse/runtime"

/** Returns how many nodes a DaemonSet is for, and why where it is for none. */
export async function daemonSetLines(client: Client, { spec, status }: DaemonSet): Promise<readonly string[]> {
  const { items } = await client.list(nodes)
  const desired = status?.desiredNumberScheduled ?? 0
  const selector = selectorFromLabels(spec?.template.spec?.nodeSelector)
  const matching = items.filter(({ metadata }) => matchesLabels(selector, metadata.labels)).length
  const labels = formatLabelSelector(selector)
  if (labels !== "" && matching === 0)
    return [
      `for no node: none of ${items.length} has ${labels} of its node selector; "kubectl get nodes --show-labels" shows what labels there are`,
    ]
  const others = desired < matching ? `; ${matching - desired} more are kept out by taints or affinity` : ""
  return [`for ${desired} of ${items.length} nodes${labels === "" ? "" : `, those with ${labels}`}${others}`]
}

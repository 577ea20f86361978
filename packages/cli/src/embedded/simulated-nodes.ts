import { nodes } from "@pilothouse/api/core/v1"
import { isSimulated } from "@pilothouse/nodes"
import type { Client } from "@pilothouse/runtime"

/** Returns the names of all simulated nodes, in the order of their numbers: those of earlier starts stay, whatever --nodes says now. */
export async function simulatedNodeNames(client: Client): Promise<readonly string[]> {
  const { items } = await client.list(nodes)
  const names = items.filter(isSimulated).map(({ metadata }) => metadata.name ?? "")
  return names.sort(new Intl.Collator("en", { numeric: true }).compare)
}

/** "3 simulated", whether they run processes, and what to do where that is more than was asked for. */
export function nodesText(names: readonly string[], asked: number, exec = false): string {
  const more = names.length - asked
  const hint = `${more} more than --nodes ${asked} asks for: "kubectl delete node ${names.at(-1)}" takes one away`
  const runs = exec ? "; pods with the image process are processes of this host" : ""
  return `${names.length} simulated${more > 0 ? ` (${hint})` : ""}${runs}`
}

import { type Node, type Pod, pods } from "@pilothouse/api/core/v1"
import type { Client } from "@pilothouse/runtime"

/** Pods by the name of their node: of one node asked for alone, of several with one list for all. */
export async function podsByNodeName(client: Client, nodes: readonly Node[]): Promise<ReadonlyMap<string, readonly Pod[]>> {
  const [only, ...others] = nodes
  const fieldSelector = only !== undefined && others.length === 0 ? `spec.nodeName=${only.metadata.name}` : undefined
  const { items } = await client.list(pods, { fieldSelector })
  return Map.groupBy(items, ({ spec }) => spec?.nodeName ?? "")
}

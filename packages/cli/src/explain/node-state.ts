import { isNotFound, parseMicroTime, parseTime } from "@pilothouse/api"
import { leases } from "@pilothouse/api/coordination/v1"
import type { Node, Taint } from "@pilothouse/api/core/v1"
import { isPaused, isSimulated } from "@pilothouse/nodes"
import type { Client } from "@pilothouse/runtime"
import { shortDuration } from "./durations.ts"

/** When a node last sent a heartbeat, and what keeps pods away from it. */
export async function nodeLines(client: Client, node: Node, now: number): Promise<readonly string[]> {
  const name = node.metadata.name ?? ""
  const paused = isSimulated(node) && isPaused(node)
  return [
    await heartbeat(client, name, now),
    ...(paused
      ? [`its kubelet is paused, as if its plug were pulled: "kubectl annotate node ${name} pilothouse.dev/paused-" lets it go on`]
      : []),
    ...(node.spec?.unschedulable ? [`it is cordoned, and gets no new pods: "kubectl uncordon ${name}" lets them come`] : []),
    ...(node.spec?.taints ?? []).map((taint) => taintLine(taint, now)),
  ]
}

/** What node-lifecycle goes by. */
async function heartbeat(client: Client, name: string, now: number): Promise<string> {
  try {
    const { spec } = await client.get(leases, `kube-node-lease/${name}`)
    if (spec?.renewTime) return `its kubelet renewed its Lease ${shortDuration(now - parseMicroTime(spec.renewTime))} ago`
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
  return "its kubelet has no Lease: only its status shows that it runs"
}

const effects: Readonly<Record<Taint["effect"], string>> = {
  NoExecute: "pods that do not tolerate it have to leave",
  NoSchedule: "pods that do not tolerate it do not come",
  PreferNoSchedule: "pods that do not tolerate it go elsewhere where they can",
}

function taintLine({ key, value, effect, timeAdded }: Taint, now: number): string {
  const since = timeAdded ? `, for ${shortDuration(now - parseTime(timeAdded))}` : ""
  return `its taint ${key}${value ? `=${value}` : ""}:${effect}${since}: ${effects[effect]}`
}

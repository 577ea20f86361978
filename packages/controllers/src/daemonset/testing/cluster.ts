import { controllerOf } from "@pilothouse/api"
import { type DaemonSet, type DaemonSetSpec, daemonSets } from "@pilothouse/api/apps/v1"
import { events, type Node, type Pod, pods } from "@pilothouse/api/core/v1"
import type { Cluster } from "@pilothouse/testing"

export function agent(image: number, spec: Partial<DaemonSetSpec> = {}, name = "agent"): DaemonSet {
  const containers = [{ name: "agent", image: `example/agent:${image}` }]
  return {
    apiVersion: "apps/v1",
    kind: "DaemonSet",
    metadata: { name },
    spec: {
      selector: { matchLabels: { app: "agent" } },
      template: { metadata: { labels: { app: "agent" } }, spec: { containers } },
      ...spec,
    },
  }
}

export function get(running: Cluster): Promise<DaemonSet> {
  return running.client.get(daemonSets, "default/agent")
}

export async function owned(running: Cluster, owner = "agent"): Promise<readonly Pod[]> {
  return (await running.list(pods)).filter((pod) => controllerOf(pod)?.name === owner)
}

/** "node-1 1": the nodes of its pods, and the images they have. */
export async function placed(running: Cluster): Promise<readonly string[]> {
  const all = (await owned(running)).filter(({ metadata }) => metadata.deletionTimestamp === undefined)
  return all.map(({ spec }) => `${spec?.nodeName ?? "nowhere"} ${spec?.containers[0]?.image?.split(":")[1]}`).sort()
}

export async function told(running: Cluster): Promise<readonly string[]> {
  return (await running.list(events))
    .filter(({ involvedObject }) => involvedObject.kind === "DaemonSet")
    .map(({ reason, source }) => `${source?.component} ${reason}`)
}

export function bareNode(name: string, labels?: Readonly<Record<string, string>>): Node {
  return { apiVersion: "v1", kind: "Node", metadata: { name, labels }, status: { allocatable: { pods: "110" } } }
}

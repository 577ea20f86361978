import { type Descriptor, type KubeObject, resourceNameOf } from "@pilothouse/api"
import { type DaemonSet, daemonSets } from "@pilothouse/api/apps/v1"
import {
  type Namespace,
  type Node,
  namespaces,
  nodes,
  type PersistentVolumeClaim,
  type Pod,
  persistentVolumeClaims,
  pods,
  type ResourceQuota,
  resourceQuotas,
  type Service,
  services,
} from "@pilothouse/api/core/v1"
import type { Client } from "@pilothouse/runtime"
import { deletionLines } from "./deletion.ts"
import type { ExplainContext } from "./explain-context.ts"
import type { Section } from "./format.ts"
import { namespaceHolders } from "./namespaces/namespace-holders.ts"
import { quotaLines } from "./namespaces/quota-usage.ts"
import { unemptiedLines } from "./namespaces/stuck-namespace.ts"
import { nodeLines } from "./node-state.ts"
import { crashLogLines } from "./pods/crash-logs.ts"
import { daemonSetLines } from "./pods/daemonset-nodes.ts"
import { budgetLines } from "./pods/pod-budgets.ts"
import { podLines } from "./pods/pod-state.ts"
import { claimUsers } from "./pods/volume-claims.ts"
import { unfitVolumes } from "./pods/volume-fit.ts"
import { trafficOf } from "./services/service-traffic.ts"

/** What can be read from the object and what it depends on, whatever controller manages it. */
export async function sectionsOf(client: Client, of: Descriptor, object: KubeObject, asked: ExplainContext): Promise<readonly Section[]> {
  const holders = resourceNameOf(of) === resourceNameOf(namespaces) ? await goingNamespace(client, object as Namespace, asked) : []
  return [{ title: "Deletion", lines: [...deletionLines(object, asked.now), ...holders] }, ...(await ofItsKind(client, of, object, asked))]
}

async function goingNamespace(client: Client, namespace: Namespace, asked: ExplainContext): Promise<readonly string[]> {
  return [...unemptiedLines(namespace, asked), ...(await namespaceHolders(client, namespace))]
}

async function podSection(client: Client, pod: Pod, asked: ExplainContext): Promise<readonly string[]> {
  const lines = await podLines(client, pod, asked, { areConditionsShown: true })
  return [...lines, ...crashLogLines(pod, asked), ...(await budgetLines(client, pod))]
}

async function claimSections(client: Client, claim: PersistentVolumeClaim): Promise<readonly Section[]> {
  const [users, unfit] = await Promise.all([claimUsers(client, claim), unfitVolumes(client, claim)])
  return [
    { title: "Use", lines: users },
    { title: "Volumes that are there", lines: unfit },
  ]
}

async function ofItsKind(client: Client, of: Descriptor, object: KubeObject, asked: ExplainContext): Promise<readonly Section[]> {
  switch (resourceNameOf(of)) {
    case resourceNameOf(services):
      return [{ title: "Traffic", lines: await trafficOf(client, object as Service, asked) }]
    case resourceNameOf(pods):
      return [{ title: "Containers", lines: await podSection(client, object as Pod, asked) }]
    case resourceNameOf(daemonSets):
      return [{ title: "Nodes", lines: await daemonSetLines(client, object as DaemonSet) }]
    case resourceNameOf(persistentVolumeClaims):
      return claimSections(client, object as PersistentVolumeClaim)
    case resourceNameOf(resourceQuotas):
      return [{ title: "Limits", lines: quotaLines(object as ResourceQuota) }]
    case resourceNameOf(nodes):
      return [{ title: "Node", lines: await nodeLines(client, object as Node, asked.now) }]
    default:
      return []
  }
}

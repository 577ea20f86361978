import { type Descriptor, type KubeObject, parseTime, resourceNameOf, secondsInMilliseconds } from "@pilothouse/api"
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
import { remaining, shortDuration } from "../durations.ts"
import type { ExplainContext } from "../explain-context.ts"
import { namespaceHolders, quotaLines, unemptiedLines } from "../namespaces/namespace-holders.ts"
import { nodeLines } from "../node-state.ts"
import { crashLogLines } from "../pods/crash-logs.ts"
import { daemonSetLines } from "../pods/daemonset-nodes.ts"
import { budgetLines } from "../pods/pod-budgets.ts"
import { podLines } from "../pods/pod-state.ts"
import { claimUsers } from "../pods/volume-claims.ts"
import { unfitVolumes } from "../pods/volume-fit.ts"
import { trafficOf } from "../services/service-traffic.ts"
import type { Section } from "./format.ts"

/** What the finalizers of Kubernetes wait for; those of others say who to ask. */
const awaited: Readonly<Record<string, string>> = {
  "batch.kubernetes.io/job-tracking": "until its Job has counted it",
  foregroundDeletion: "until what it owns is gone",
  "kubernetes.io/pv-protection": "while it is bound to a claim",
  "kubernetes.io/pvc-protection": "while a pod uses it",
  "kubernetes.io/vac-protection": "while a claim or a volume names it",
  orphan: "until what it owns has been released",
  "service.kubernetes.io/load-balancer-cleanup": "until its load balancer is gone",
}

/** Returns since when an object is being deleted, and why it still exists. */
export function deletionLines({ metadata }: KubeObject, now: number): readonly string[] {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, finalizers = [] } = metadata
  if (deletionTimestamp === undefined || deletionTimestamp === null) return []
  const over = parseTime(deletionTimestamp)
  const asked = over - secondsInMilliseconds(deletionGracePeriodSeconds ?? 0)
  const grace = over > now ? [`it has ${remaining(over - now)} left to end by itself`] : []
  return [`asked for ${shortDuration(now - asked)} ago`, ...grace, ...finalizers.map(held)]
}

function held(finalizer: string): string {
  return `the finalizer ${finalizer} holds it ${awaited[finalizer] ?? "until the one that added it removes it"}`
}

/** Returns what can be read from the object and what it depends on, whatever controller manages it. */
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

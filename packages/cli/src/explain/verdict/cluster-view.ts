import { controllerOf, type Descriptor, type KubeObject, resourceNameOf } from "@pilothouse/api"
import { daemonSets, deployments, replicaSets, statefulSets } from "@pilothouse/api/apps/v1"
import { horizontalPodAutoscalers } from "@pilothouse/api/autoscaling/v2"
import { cronJobs, jobs } from "@pilothouse/api/batch/v1"
import {
  type Event,
  events,
  namespaces,
  nodes,
  type Pod,
  persistentVolumeClaims,
  pods,
  replicationControllers,
  resourceQuotas,
  services,
} from "@pilothouse/api/core/v1"
import { endpointSlices } from "@pilothouse/api/discovery/v1"
import { storageClasses } from "@pilothouse/api/storage/v1"
import type { Client } from "@pilothouse/runtime"
import { lastSeen } from "../events.ts"

/** What verdicts are made from: the objects of a namespace or of all, read once. */
export class ClusterView {
  /** Milliseconds since 1970. */
  readonly now: number
  readonly #lists: ReadonlyMap<string, readonly KubeObject[]>
  readonly #podsByOwner: ReadonlyMap<string, readonly Pod[]>
  readonly #warnings: ReadonlyMap<string, readonly Event[]>

  constructor(now: number, lists: ReadonlyMap<string, readonly KubeObject[]>) {
    this.now = now
    this.#lists = lists
    this.#podsByOwner = Map.groupBy(this.list(pods), (pod) => controllerOf(pod)?.uid ?? "")
    const warnings = this.list(events).filter(({ type }) => type === "Warning")
    this.#warnings = Map.groupBy(
      warnings.toSorted((a, b) => lastSeen(a) - lastSeen(b)),
      ({ involvedObject }) => involvedObject.uid ?? "",
    )
  }

  /** Those that were read; empty of a kind that was not. */
  list<T extends KubeObject>(of: Descriptor<T>): readonly T[] {
    return (this.#lists.get(resourceNameOf(of)) ?? []) as readonly T[]
  }

  /** The one of that name, in the namespace where its kind has one. */
  find<T extends KubeObject>(of: Descriptor<T>, name: string, namespace?: string): T | undefined {
    return this.list(of).find(({ metadata }) => metadata.name === name && (namespace === undefined || metadata.namespace === namespace))
  }

  podsOf({ metadata }: KubeObject): readonly Pod[] {
    return this.#podsByOwner.get(metadata.uid ?? "?") ?? []
  }

  /** The last warning about an object, of one of these reasons where they are given. */
  warning({ metadata }: KubeObject, ...reasons: readonly string[]): Event | undefined {
    const found = this.#warnings.get(metadata.uid ?? "?") ?? []
    return found.findLast(({ reason = "" }) => reasons.length === 0 || reasons.includes(reason))
  }
}

/** Kinds that are read for verdicts of a namespace; those of the cluster come with them. */
const namespaced: readonly Descriptor[] = [
  pods,
  replicaSets,
  replicationControllers,
  deployments,
  statefulSets,
  daemonSets,
  jobs,
  cronJobs,
  services,
  endpointSlices,
  persistentVolumeClaims,
  horizontalPodAutoscalers,
  resourceQuotas,
  events,
]
const clusterWide: readonly Descriptor[] = [nodes, namespaces, storageClasses]

/** Reads what verdicts need. What the user may not list, or the server does not have, counts as absent. */
export async function readClusterView(client: Client, namespace: string | undefined, now: number): Promise<ClusterView> {
  const read = async (of: Descriptor, options: { readonly namespace?: string }) => {
    const { items } = await client.list(of, options).catch((): { readonly items: readonly KubeObject[] } => ({ items: [] }))
    return [resourceNameOf(of), items] as const
  }
  const lists = await Promise.all([...namespaced.map((of) => read(of, { namespace })), ...clusterWide.map((of) => read(of, {}))])
  return new ClusterView(now, new Map(lists))
}

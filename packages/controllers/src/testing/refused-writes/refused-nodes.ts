import { findCondition, formatTime, type KubeObject } from "@pilothouse/api"
import { nodes, type Pod, pods } from "@pilothouse/api/core/v1"
import type { Cluster } from "@pilothouse/testing"
import { forEver } from "../../job/testing/cluster.ts"
import { isGone } from "./refuse-for-ever.ts"
import type { RefusedWrite } from "./refused-write.ts"

const node = (name: string, more: object = {}): KubeObject =>
  ({ apiVersion: "v1", kind: "Node", metadata: { name }, ...more }) as KubeObject
const podOn = (nodeName: string, namespace: string): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "a", namespace },
  spec: { nodeName, containers: [forEver], terminationGracePeriodSeconds: 0 },
})
const podIsGone = (running: Cluster, place: string) => isGone(running.client.get(pods, `${place}/a`))
const podCondition = async (running: Cluster, place: string, type: string) =>
  findCondition((await running.client.get(pods, `${place}/a`)).status?.conditions, type)?.status
const mark = (running: Cluster, place: string, condition: object) =>
  running.client.patch(pods, `${place}/a`, { status: { conditions: [condition] } }, { subresource: "status", type: "strategic" })

/** It looks every 5 s, as upstream's: not for so long then. */
const every5Seconds = { lasts: "3m", maxTries: 80 } as const
const lifecycle = { controller: "node-lifecycle-controller", cluster: { controllers: ["node-lifecycle"], nodes: 1 } }
const eviction = { controller: "taint-eviction-controller", cluster: { controllers: ["taint-eviction"], nodes: 0 } }
const podGc = { controller: "pod-garbage-collector-controller", cluster: { controllers: ["pod-garbage-collector"], nodes: 0 } }
const tainted = (place: string) => [node(place, { spec: { taints: [{ key: "leave", effect: "NoExecute" }] } }), podOn(place, place)]
/** Half a minute between tries at most. */
const everyHalfMinute = 60
const every20Seconds = 80
/** Looked for every 20 s, and gone for good after 40 s. */
const afterQuarantine = "2m"

export const refusedNodes: readonly RefusedWrite[] = [
  {
    controller: "node-ipam-controller",
    cluster: { controllers: ["node-ipam"], nodes: 0, settings: { "allocate-node-cidrs": true, "cluster-cidr": "10.244.0.0/16" } },
    write: "PATCH nodes",
    given: (place) => [node(place)],
    done: async (running, place) => (await running.client.get(nodes, place)).spec?.podCIDR !== undefined,
    eventReason: "CIDRAssignmentFailed",
    isQuietOfConflicts: true,
  },
  {
    controller: "ttl-controller",
    cluster: { controllers: ["ttl"], nodes: 0 },
    write: "PATCH nodes",
    given: (place) => [node(place)],
    done: async (running, place) => (await running.client.get(nodes, place)).metadata.annotations?.["node.alpha.kubernetes.io/ttl"] === "0",
  },
  {
    ...lifecycle,
    write: "PATCH nodes",
    given: (place) => [node(place)],
    done: async (running, place) =>
      ((await running.client.get(nodes, place)).spec?.taints ?? []).some(({ key }) => key === "node.kubernetes.io/unreachable"),
    within: "2m",
    ...every5Seconds,
  },
  {
    ...lifecycle,
    write: "PUT nodes/status",
    given: (place) => [node(place)],
    done: async (running, place) =>
      findCondition((await running.client.get(nodes, place)).status?.conditions, "Ready")?.status === "Unknown",
    within: "2m",
    ...every5Seconds,
  },
  {
    ...lifecycle,
    write: "PATCH pods/status",
    given: (place) => [node(place), podOn(place, place)],
    change: (running, place) => mark(running, place, { type: "Ready", status: "True" }),
    done: async (running, place) => (await podCondition(running, place, "Ready")) === "False",
    within: "2m",
    ...every5Seconds,
  },
  { ...eviction, write: "PATCH pods/status", given: tainted, done: podIsGone, maxTries: everyHalfMinute },
  { ...eviction, write: "DELETE pods", given: tainted, done: podIsGone, maxTries: everyHalfMinute },
  {
    ...podGc,
    write: "PATCH pods/status",
    given: (place) => [podOn("never-was", place)],
    done: podIsGone,
    within: afterQuarantine,
    maxTries: every20Seconds,
  },
  {
    ...podGc,
    write: "DELETE pods",
    given: (place) => [podOn("never-was", place)],
    done: podIsGone,
    within: afterQuarantine,
    maxTries: every20Seconds,
  },
  {
    controller: "stale-pod-disruption",
    cluster: { controllers: ["disruption"], nodes: 0 },
    write: "PUT pods/status",
    given: (place) => [podOn("", place)],
    change: (running, place) =>
      mark(running, place, {
        type: "DisruptionTarget",
        status: "True",
        reason: "PreemptionByScheduler",
        lastTransitionTime: formatTime(running.clock.now() - 180_000),
      }),
    done: async (running, place) => (await podCondition(running, place, "DisruptionTarget")) === "False",
  },
]

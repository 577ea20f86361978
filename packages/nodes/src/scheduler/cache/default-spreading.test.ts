import { formatLabelSelector, type KubeObject } from "@pilothouse/api"
import { replicaSets, statefulSets } from "@pilothouse/api/apps/v1"
import { replicationControllers, type Service, services } from "@pilothouse/api/core/v1"
import type { Reader } from "@pilothouse/runtime"
import { expect, test } from "vitest"
import { testPod } from "../testing/objects.ts"
import { defaultSpreadSelector } from "./observe.ts"

function service(name: string, selector?: Record<string, string>): Service {
  return { apiVersion: "v1", kind: "Service", metadata: { name, namespace: "default" }, spec: { selector } }
}

const owners = new Map<unknown, KubeObject>([
  [replicaSets, { metadata: {}, spec: { selector: { matchLabels: { set: "rs" } } } } as never],
  [statefulSets, { metadata: {}, spec: { selector: { matchLabels: { set: "sts" } } } } as never],
  [replicationControllers, { metadata: {}, spec: { selector: { set: "rc" } } } as never],
])

function like(found: readonly Service[], owner?: readonly [apiVersion: string, kind: string]): string | undefined {
  const read = {
    list: (of: unknown) => (of === services ? found : []),
    get: (of: unknown, key: string) => (key === "default/owner" ? owners.get(of) : undefined),
  } as unknown as Reader
  const pod = testPod("p", { labels: { app: "web" } })
  const ownerReferences = owner && [{ apiVersion: owner[0], kind: owner[1], name: "owner", uid: "o", controller: true }]
  const selector = defaultSpreadSelector({ ...pod, metadata: { ...pod.metadata, ownerReferences } }, read)
  return selector && formatLabelSelector(selector)
}

const web = service("web", { app: "web" })

test.each<[string, readonly Service[], readonly [string, string] | undefined, string | undefined]>([
  ["no pod", [], undefined, undefined],
  ["those of its Service", [web], undefined, "app=web"],
  ["not those of a Service that does not select it", [service("db", { app: "db" })], undefined, undefined],
  ["not those of a Service without a selector", [service("bare")], undefined, undefined],
  ["those of its ReplicaSet", [], ["apps/v1", "ReplicaSet"], "set=rs"],
  ["those of its StatefulSet", [], ["apps/v1", "StatefulSet"], "set=sts"],
  ["those of its ReplicationController", [], ["v1", "ReplicationController"], "set=rc"],
  ["not those of a Job", [], ["batch/v1", "Job"], undefined],
  ["those of its Service that are of its owner too", [web], ["apps/v1", "ReplicaSet"], "app=web,set=rs"],
])("which pods are alike: %s", (_what, found, owner, expected) => expect(like(found, owner)).toBe(expected))

import type { KubeObject } from "@pilothouse/api"
import { expect, test } from "vitest"
import { cluster } from "../cluster.ts"
import {
  aClaim,
  aConfigMap,
  aCronJob,
  aDaemonSet,
  aDeployment,
  aJob,
  aNamespace,
  aNode,
  aPod,
  aReplicaSet,
  aSecret,
  aService,
  aStatefulSet,
  aVolume,
} from "./index.ts"

const everyKind: readonly KubeObject[] = [
  aNamespace("shop"),
  aClaim("data"),
  aConfigMap("settings", { data: { colour: "blue" } }),
  aCronJob("nightly", { schedule: "0 3 * * *" }),
  aDaemonSet("agent"),
  aDeployment("web", { replicas: 2 }),
  aJob("import"),
  aNode("worker-1"),
  aPod("web-0", { node: "worker-1" }),
  aReplicaSet("web-1"),
  aSecret("password", { stringData: { password: "hunter2" } }),
  aService("web"),
  aStatefulSet("database"),
  aVolume("disk-1"),
]

test.each(everyKind.map((object) => [object.kind, object] as const))(
  "the API server accepts a %s as it is built",
  async (_kind, object) => {
    await using running = await cluster({ controllers: [], nodes: 0 })
    const created = await running.apply(object)
    expect(created.metadata.name).toBe(object.metadata.name)
  },
)

test("a Deployment's pods carry the label that its selector and a Service of the same name require", () => {
  const { spec } = aDeployment("web")
  expect(spec?.selector.matchLabels).toEqual(spec?.template.metadata?.labels)
  expect(aService("web").spec?.selector).toEqual(spec?.selector.matchLabels)
})

test("a pod has a status only where an option is about it", () => {
  expect(aPod("a")).not.toHaveProperty("status")
  expect(aPod("a", { phase: "Failed" }).status).toEqual({ phase: "Failed" })
  expect(aPod("a", { ready: true }).status).toEqual({ phase: "Running", conditions: [{ type: "Ready", status: "True" }] })
  expect(aPod("a", { ready: false, phase: "Pending" }).status).toEqual({
    phase: "Pending",
    conditions: [{ type: "Ready", status: "False" }],
  })
})

test("controlledBy becomes the controller owner reference", () => {
  const owner = aReplicaSet("web", { metadata: { uid: "u-1" } })
  expect(aPod("web-0", { controlledBy: owner }).metadata.ownerReferences).toEqual([
    { apiVersion: "apps/v1", kind: "ReplicaSet", name: "web", uid: "u-1", controller: true, blockOwnerDeletion: true },
  ])
})

test("an option for a field of the kind replaces the default", () => {
  expect(aPod("a", { spec: { containers: [], hostNetwork: true } }).spec).toEqual({ containers: [], hostNetwork: true })
  expect(aDeployment("web", { spec: { paused: true } }).spec).toMatchObject({ replicas: 1, paused: true })
  expect(aNode("n", { ready: false }).status?.conditions).toEqual([{ type: "Ready", status: "False" }])
})

test("kinds without a namespace have none, others are in default", () => {
  expect(aNode("n", { namespace: "ignored" }).metadata).not.toHaveProperty("namespace")
  expect(aPod("a").metadata.namespace).toBe("default")
  expect(aPod("a", { namespace: "shop" }).metadata.namespace).toBe("shop")
})

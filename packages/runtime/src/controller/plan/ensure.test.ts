import { type Deployment, deployments } from "@pilothouse/api/apps/v1"
import { type ConfigMap, configMaps, secrets, services } from "@pilothouse/api/core/v1"
import { expect, test } from "vitest"
import { testManager } from "../../manager/testing/manager.ts"
import { controller } from "../controller.ts"
import { describePlan } from "../describe-plan.ts"
import type { Plan } from "./plan.ts"
import { plan } from "./plan-builder.ts"

const wanted: Deployment = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", namespace: "default", labels: { app: "web" } },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: "web" } },
    template: {
      metadata: { labels: { app: "web" } },
      spec: { containers: [{ name: "app", image: "web:1", env: [], resources: { limits: { cpu: "1000m" } } }] },
    },
  },
}

/** A controller that ensures what a function plans for the ConfigMap default/settings. */
function ensuring(decide: (settings: ConfigMap) => Plan) {
  return controller("ensurer", {
    for: configMaps,
    reads: [deployments, secrets, services],
    observe: (key, read) => (key === "default/settings" ? read.get(configMaps, key) : undefined),
    decide,
  })
}

const settings = (data: Record<string, string> = {}): ConfigMap => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "settings", namespace: "default" },
  data,
})

const replicasOf = ({ data }: ConfigMap) => Number(data?.replicas ?? 2)

/** What was planned for the ConfigMap, in order. */
function planned(running: Awaited<ReturnType<typeof testManager>>): readonly string[] {
  const entries = running.manager.trace.entries().filter(({ key }) => key === "default/settings")
  return entries.flatMap(({ plan: made, error }) => (made === undefined ? [`failed: ${error}`] : describePlan(made)))
}

test("creates what is missing, patches the fields that differ, and then plans nothing", async () => {
  const ensurer = ensuring((found) =>
    plan().ensure({ ...wanted, spec: { ...wanted.spec!, replicas: replicasOf(found) } }, "settings say so"),
  )
  await using running = await testManager([ensurer])
  await running.server.apply(settings())
  await running.server.settled()
  await running.server.apply(settings({ replicas: "3" }))
  await running.server.settled()
  await running.server.apply(settings({ replicas: "3", other: "field" }))
  await running.server.settled()
  expect(planned(running)).toEqual([
    "create Deployment default/web, because settings say so",
    "patch Deployment default/web, because settings say so (spec.replicas)",
    "nothing to do: nothing differs",
  ])
})

test("keeps fields, labels and owner references of others", async () => {
  const owner = (name: string) => ({ apiVersion: "v1", kind: "ConfigMap", name, uid: `uid-of-${name}` })
  const ensurer = ensuring(() =>
    plan().ensure(
      { ...wanted, metadata: { ...wanted.metadata, labels: { app: "web", tier: "front" }, ownerReferences: [owner("mine")] } },
      "test",
    ),
  )
  await using running = await testManager([ensurer])
  await running.server.apply({
    ...wanted,
    metadata: { ...wanted.metadata, labels: { team: "a" }, ownerReferences: [owner("theirs")], finalizers: ["example.com/held"] },
  })
  await running.server.apply(settings())
  await running.server.settled()
  const found = await running.server.client.get(deployments, "default/web")
  expect(found.metadata).toMatchObject({ labels: { team: "a", app: "web", tier: "front" }, finalizers: ["example.com/held"] })
  expect(found.metadata.ownerReferences?.map(({ name }) => name)).toEqual(["theirs", "mine"])
  expect(planned(running)).toEqual([
    "patch Deployment default/web, because test (metadata.labels.app, metadata.labels.tier, metadata.ownerReferences)",
  ])
})

test("does not write a Secret again whose text the server has encoded", async () => {
  const ensurer = ensuring((found) =>
    plan().ensure(
      {
        apiVersion: "v1",
        kind: "Secret",
        metadata: { name: "token", namespace: "default" },
        stringData: { token: found.data?.token ?? "é" },
      },
      "test",
    ),
  )
  await using running = await testManager([ensurer])
  await running.server.apply(settings())
  await running.server.settled()
  await running.server.apply(settings({ other: "field" }))
  await running.server.settled()
  await running.server.apply(settings({ token: "b" }))
  await running.server.settled()
  expect(planned(running)).toEqual([
    "create Secret default/token, because test",
    "nothing to do: nothing differs",
    "patch Secret default/token, because test (data.token)",
  ])
  expect((await running.server.client.get(secrets, "default/token")).data).toEqual({ token: "Yg==" })
})

test("records events only where something changes", async () => {
  const ensurer = ensuring((found) => plan().ensure(wanted, "test").event(found, "Normal", "Ensured", "web is there"))
  await using running = await testManager([ensurer])
  await running.server.apply(settings())
  await running.server.settled()
  await running.server.apply(settings({ other: "field" }))
  await running.server.settled()
  expect(planned(running)).toEqual([
    "create Deployment default/web, because test",
    "say Normal Ensured of ConfigMap default/settings: web is there",
    "nothing to do: nothing differs",
  ])
})

test("refuses kinds that the controller does not declare, and objects without a name", async () => {
  const undeclared = ensuring(() => plan().ensure({ apiVersion: "v1", kind: "Namespace", metadata: { name: "a" } }, "test"))
  const unnamed = ensuring(() => plan().ensure({ apiVersion: "v1", kind: "Secret", metadata: { generateName: "a-" } }, "test"))
  for (const [ensurer, message] of [
    [undeclared, "the controller ensurer reads namespaces but does not declare it; add it to its owns, watches or reads"],
    [unnamed, "expected the name of the Secret to ensure, found none; create it where the server names it"],
  ] as const) {
    await using running = await testManager([ensurer])
    await running.server.apply(settings())
    await running.server.settled()
    expect(planned(running)[0]).toBe(`failed: ${message}`)
  }
})

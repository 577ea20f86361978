import { configMaps, type Namespace, secrets, serviceAccounts } from "@pilothouse/api/core/v1"
import { type Cluster, cluster } from "@pilothouse/testing"
import { expect, test } from "vitest"
import { everyToken, legacyTokenCleanerController } from "./controller.ts"

const label = "kubernetes.io/legacy-token-invalid-since"
const tracking = "kube-apiserver-legacy-service-account-token-tracking"
const type = "kubernetes.io/service-account-token"
const annotations = { "kubernetes.io/service-account.name": "robot" }

async function tokens(running: Cluster): Promise<readonly string[]> {
  const all = await running.list(secrets, { namespace: "default" })
  return all.map(({ metadata }) => `${metadata.name} ${metadata.labels?.[label] ?? "valid"}`).sort()
}

test("a token that nobody uses is invalid after the period and gone after another; one of a pod, or made by hand, stays", async () => {
  const asked: string[] = []
  await using running = await cluster({
    nodes: 0,
    controllers: ["legacy-serviceaccount-token-cleaner"],
    settings: { "legacy-service-account-token-clean-up-period": "24h" },
    start: "2026-01-05T09:00:00Z",
    layer: (inner) => (request) => {
      if (request.path.includes("secrets") || request.path.endsWith(tracking)) asked.push(request.verb)
      return inner(request)
    },
  })
  await running.apply({ apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "robot", namespace: "default" } })
  for (const name of ["unused", "mounted", "by-hand"])
    await running.apply({ apiVersion: "v1", kind: "Secret", metadata: { name, namespace: "default", annotations }, type })
  await running.client.patch(serviceAccounts, "default/robot", { secrets: [{ name: "unused" }, { name: "mounted" }] })
  const volumes = [{ name: "token", secret: { secretName: "mounted" } }]
  const pod = { metadata: { name: "user", namespace: "default" }, spec: { containers: [{ name: "a", image: "a" }], volumes } }
  await running.apply({ apiVersion: "v1", kind: "Pod", ...pod })
  expect((await running.client.get(configMaps, `kube-system/${tracking}`)).data).toEqual({ since: "2026-01-05" })
  await running.advance("47h")
  expect(await tokens(running)).toEqual(["by-hand valid", "mounted valid", "unused valid"])
  await running.advance("2h")
  expect(await tokens(running)).toEqual(["by-hand valid", "mounted valid", "unused 2026-01-07"])
  await running.advance("48h")
  expect(await tokens(running)).toEqual(["by-hand valid", "mounted valid"])
  expect(asked.filter((verb) => verb !== "GET")).toEqual(["PATCH", "DELETE"])
})

test("where the process was there before kube-system it never looked; only its coming counts", () => {
  const [namespaces] = legacyTokenCleanerController().watches ?? []
  const object = (name: string): Namespace => ({ apiVersion: "v1", kind: "Namespace", metadata: { name } })
  const system = object("kube-system")
  expect(namespaces?.when?.({ type: "added", object: system }, true)).toBe(true)
  expect(namespaces?.when?.({ type: "added", object: system }, false)).toBe(true)
  expect(namespaces?.when?.({ type: "updated", old: system, object: system }, false)).toBe(false)
  expect(namespaces?.when?.({ type: "added", object: object("default") }, true)).toBe(false)
  expect(namespaces?.map(system, {} as never)).toEqual([everyToken])
})

import { configMaps, type Namespace, secrets, serviceAccounts } from "@pilothouse/api/core/v1"
import { type Cluster, type ClusterOptions, cluster, crashPoints } from "@pilothouse/testing"
import { expect, test } from "vitest"
import { allTokensKey, legacyTokenCleanerController } from "./controller.ts"

const label = "kubernetes.io/legacy-token-invalid-since"
const tracking = "kube-apiserver-legacy-service-account-token-tracking"
const type = "kubernetes.io/service-account-token"
const annotations = { "kubernetes.io/service-account.name": "robot" }

async function tokens(running: Cluster): Promise<readonly string[]> {
  const all = await running.list(secrets, { namespace: "default" })
  return all.map(({ metadata }) => `${metadata.name} ${metadata.labels?.[label] ?? "valid"}`).sort()
}

const alone = {
  nodes: 0,
  controllers: ["legacy-serviceaccount-token-cleaner"],
  settings: { "legacy-service-account-token-clean-up-period": "24h" },
  start: "2026-01-05T09:00:00Z",
} satisfies ClusterOptions

async function makeTokens(running: Cluster, names: readonly string[]): Promise<void> {
  for (const name of names)
    await running.apply({ apiVersion: "v1", kind: "Secret", metadata: { name, namespace: "default", annotations }, type })
}

test("an unused token is invalid after the period and deleted after another; one of a pod, or created manually, stays", async () => {
  const asked: string[] = []
  await using running = await cluster({
    ...alone,
    layer: (inner) => (request) => {
      if (request.path.includes("secrets") || request.path.endsWith(tracking)) asked.push(request.verb)
      return inner(request)
    },
  })
  await running.apply({ apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "robot", namespace: "default" } })
  await makeTokens(running, ["unused", "mounted", "by-hand"])
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

/** A process looks when it begins, and once a day: two processes, on both sides of midnight, spare the test the days. */
test("at every crash point the same tokens are labelled, and deleted the day after", async () => {
  const report = await crashPoints(
    {
      cluster: { ...alone, settings: { "legacy-service-account-token-clean-up-period": "1s" }, start: "2026-01-05T23:58:00Z" },
      async run(running) {
        await running.apply({ apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "robot", namespace: "default" } })
        await makeTokens(running, ["first", "second", "by-hand"])
        const names = [{ name: "first" }, { name: "second" }, { name: "late" }]
        await running.client.patch(serviceAccounts, "default/robot", { secrets: names })
        await running.client.patch(configMaps, `kube-system/${tracking}`, { data: { since: "2025-01-01" } })
        await running.advance("1m")
        await running.restartControllers()
        await running.advance("30s")
        await makeTokens(running, ["late"])
        await running.advance("1m")
        await running.restartControllers()
        await running.advance("30s")
      },
      async end(running) {
        const left = await tokens(running)
        expect(left).toEqual(["by-hand valid", "late 2026-01-06"])
        return left
      },
    },
    { sample: 10, seed: 5, writers: ["legacy-serviceaccount-token-cleaner-controller"] },
  )
  expect(report.tried).toBe(10)
})

test("where the process was there before kube-system it never looked; only its coming counts", () => {
  const [namespaces] = legacyTokenCleanerController().watches ?? []
  const object = (name: string): Namespace => ({ apiVersion: "v1", kind: "Namespace", metadata: { name } })
  const system = object("kube-system")
  expect(namespaces?.predicate?.({ type: "added", object: system }, true)).toBe(true)
  expect(namespaces?.predicate?.({ type: "added", object: system }, false)).toBe(true)
  expect(namespaces?.predicate?.({ type: "updated", old: system, object: system }, false)).toBe(false)
  expect(namespaces?.predicate?.({ type: "added", object: object("default") }, true)).toBe(false)
  expect(namespaces?.map(system, {} as never)).toEqual([allTokensKey])
})

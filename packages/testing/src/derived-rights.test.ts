import { type ConfigMap, configMaps, secrets } from "@pilothouse/api/core/v1"
import { type ControllerSpec, controller, plan } from "@pilothouse/runtime"
import { silentLog } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { cluster } from "./cluster.ts"

const settings: ConfigMap = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "settings", namespace: "default" } }

async function run(spec: Pick<ControllerSpec<ConfigMap>, "writes" | "owns">) {
  const marker = controller<ConfigMap>("marker", {
    for: configMaps,
    ...spec,
    observe: (key, read) => (key === "default/settings" ? read.get(configMaps, key) : undefined),
    decide: (found) =>
      plan()
        .patch(found, { metadata: { labels: { marked: "yes" } } }, "it has no mark")
        .nextStep()
        .create({ apiVersion: "v1", kind: "Secret", metadata: { name: "token", namespace: "default" } }, "it is missing", {
          tolerate: ["AlreadyExists"],
        }),
  })
  const running = await cluster({ rbac: true, nodes: 0, controllers: [], extra: [marker], log: silentLog })
  await running.apply(settings)
  await running.advance("10s")
  return running
}

test("a controller of the test may make the writes that it declares", async () => {
  const running = await run({
    writes: [
      { of: configMaps, verbs: ["patch"] },
      { of: secrets, verbs: ["create"] },
    ],
  })
  expect((await running.client.get(secrets, "default/token")).metadata.name).toBe("token")
  await running.close()
})

test("without declared writes it may change its own kind and what it owns", async () => {
  const running = await run({ owns: [secrets] })
  expect((await running.client.get(configMaps, settings)).metadata.labels).toEqual({ marked: "yes" })
  await running.close()
})

test("a write that is not declared fails the test with the server's words", async () => {
  const running = await run({ writes: [{ of: configMaps, verbs: ["patch"] }] })
  await expect(running.close()).rejects.toThrow(
    'marker default/settings: secrets is forbidden: User "system:serviceaccount:kube-system:marker" cannot create resource "secrets" in API group "" in the namespace "default"',
  )
})

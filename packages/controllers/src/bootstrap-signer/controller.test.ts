import { forbidden } from "@pilothouse/api"
import { configMaps, secrets } from "@pilothouse/api/core/v1"
import { silentLog } from "@pilothouse/seams"
import { cluster, crashPoints } from "@pilothouse/testing"
import { expect, test } from "vitest"
import { refusing } from "../testing/layers.ts"

const only = { nodes: 0, controllers: ["bootstrapsigner"] }
const info = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "cluster-info", namespace: "kube-public" },
  data: { kubeconfig: "some: kubeconfig" },
}
const token = {
  apiVersion: "v1",
  kind: "Secret",
  type: "bootstrap.kubernetes.io/token",
  metadata: { name: "bootstrap-token-abcdef", namespace: "kube-system" },
  stringData: { "token-id": "abcdef", "token-secret": "0123456789abcdef", "usage-bootstrap-signing": "true" },
}

test("signatures come and go with their tokens, by the rights of its own account", async () => {
  await using running = await cluster({ ...only, rbac: true })
  const keys = async () => Object.keys((await running.client.get(configMaps, "kube-public/cluster-info")).data ?? {})
  await running.apply([info, token])
  await running.settled()
  expect(await keys()).toEqual(["kubeconfig", "jws-kubeconfig-abcdef"])
  await running.client.delete(secrets, "kube-system/bootstrap-token-abcdef")
  await running.settled()
  expect(await keys()).toEqual(["kubeconfig"])
})

test("a refused write is tried again", async () => {
  let refused = 0
  const layer = refusing(({ verb, path }) => {
    if (verb !== "PUT" || !path.endsWith("/cluster-info") || refused >= 5) return undefined
    refused++
    return forbidden({ group: "", plural: "configmaps" }, "cluster-info", "not now")
  })
  await using running = await cluster({ ...only, layer, log: silentLog })
  await running.apply([info, token])
  await running.advance("1m")
  expect(refused).toBe(5)
  expect((await running.client.get(configMaps, "kube-public/cluster-info")).data).toHaveProperty("jws-kubeconfig-abcdef")
})

test("a crash at any call ends the same", async () => {
  const report = await crashPoints(
    {
      cluster: only,
      async run(running) {
        await running.apply([info, token])
        await running.advance("1m")
      },
    },
    { sample: 6, seed: 3, writers: ["bootstrap-signer-controller"] },
  )
  expect(report.tried).toBeGreaterThan(0)
})

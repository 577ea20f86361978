import { alreadyExists } from "@pilothouse/api"
import { namespaces, serviceAccounts } from "@pilothouse/api/core/v1"
import type { Transport } from "@pilothouse/seams"
import { type Cluster, cluster, crashPoints } from "@pilothouse/testing"
import { expect, test } from "vitest"

const only = { controllers: ["serviceaccount"] }

async function accountsIn(running: Cluster, namespace: string): Promise<readonly (string | undefined)[]> {
  return (await running.list(serviceAccounts, { namespace })).map(({ metadata }) => metadata.name)
}

test("every namespace has its default account, which comes back when it is deleted", async () => {
  await using running = await cluster(only)
  await running.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } })
  await running.settled()
  for (const namespace of ["default", "kube-system", "shop"]) expect(await accountsIn(running, namespace)).toEqual(["default"])
  await running.client.delete(serviceAccounts, "shop/default")
  await running.settled()
  expect(await accountsIn(running, "shop")).toEqual(["default"])
})

test("a namespace that goes away gets none; deleted serviceaccount without namespace: nothing is tried", async () => {
  const tried: string[] = []
  const layer =
    (inner: Transport): Transport =>
    (request) => {
      if (request.verb === "POST") tried.push(request.path)
      return inner(request)
    }
  await using running = await cluster({ ...only, layer })
  await running.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } })
  await running.settled()
  await running.client.delete(namespaces, "shop")
  tried.length = 0
  await running.client.delete(serviceAccounts, "shop/default")
  await running.advance("10m")
  expect(tried).toEqual([])
})

test("an account that another client created first is accepted", async () => {
  let tried = 0
  const layer =
    (inner: Transport): Transport =>
    (request) => {
      if (request.verb !== "POST" || !request.path.endsWith("/serviceaccounts")) return inner(request)
      tried++
      return Promise.reject(alreadyExists({ plural: "serviceaccounts", group: "" }, "default"))
    }
  await using running = await cluster({ ...only, layer })
  await running.advance("1h")
  const namespaceCount = (await running.list(namespaces)).length
  expect(tried).toBe(namespaceCount)
})

test("a crash at any call ends the same", async () => {
  const report = await crashPoints(
    {
      cluster: only,
      async run(running) {
        for (const name of ["a", "b"]) await running.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name } })
        await running.advance("30s")
        await running.client.delete(serviceAccounts, "a/default")
        await running.advance("60s")
      },
    },
    { sample: 10, seed: 4, writers: ["serviceaccount-controller"] },
  )
  expect(report.tried).toBe(10)
})

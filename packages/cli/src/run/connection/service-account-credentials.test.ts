import { serviceAccounts } from "@pilothouse/api/core/v1"
import { accountOf } from "@pilothouse/controllers"
import type { Clock } from "@pilothouse/seams"
import { cluster } from "@pilothouse/testing"
import { expect, test } from "vitest"
import { serviceAccountCredentials } from "./controller-transports.ts"

const account = "job-controller"
const key = `kube-system/${account}`

async function started() {
  const server = await cluster({ nodes: 0, controllers: [] })
  let asked = 0
  const client: typeof server.client = {
    ...server.client,
    requestToken: (...given) => {
      asked++
      return server.client.requestToken(...given)
    },
  }
  const credentials = serviceAccountCredentials({ client, clock: server.clock, namespace: "kube-system", account })
  return { server, client, credentials, asked: () => asked }
}

test("makes the account where it is missing, and shows its token", async () => {
  const { server, credentials } = await started()
  await using _server = server
  const { authorization = "" } = await credentials.present()
  expect(authorization).toMatch(/^Bearer \S+\.\S+\.\S+$/)
  expect((await server.client.get(serviceAccounts, key)).metadata.name).toBe(account)
})

test("many who ask at once share one token", async () => {
  const { server, credentials, asked } = await started()
  await using _server = server
  await server.apply({ apiVersion: "v1", kind: "ServiceAccount", metadata: { name: account, namespace: "kube-system" } })
  const shown = await Promise.all(Array.from({ length: 10 }, () => credentials.present()))
  expect(new Set(shown.map(({ authorization }) => authorization)).size).toBe(1)
  expect(asked()).toBe(1)
})

test("a new one comes a fifth before the end", async () => {
  const { server, credentials, asked } = await started()
  await using _server = server
  await credentials.present()
  const first = asked()
  await server.advance("47m")
  await credentials.present()
  expect(asked()).toBe(first)
  await server.advance("2m")
  await credentials.present()
  expect(asked()).toBe(first + 1)
})

test("a clock that was an hour ahead asked for a token with each request; now once a minute", async () => {
  const { server, client, asked } = await started()
  await using _server = server
  await server.apply({ apiVersion: "v1", kind: "ServiceAccount", metadata: { name: account, namespace: "kube-system" } })
  const ahead: Clock = {
    now: () => server.clock.now() + 3_600_000,
    elapsed: () => server.clock.elapsed(),
    sleep: (...given) => server.clock.sleep(...given),
    timer: (...given) => server.clock.timer(...given),
    external: (...given) => server.clock.external(...given),
  }
  const credentials = serviceAccountCredentials({ client, clock: ahead, namespace: "kube-system", account })
  for (let second = 0; second < 60; second++) {
    await credentials.present()
    await server.advance("1s")
  }
  expect(asked()).toBe(1)
  await credentials.present()
  expect(asked()).toBe(2)
})

test("one that the server refuses is replaced, once", async () => {
  const { server, credentials } = await started()
  await using _server = server
  const presented = await credentials.present()
  await server.advance("1m")
  expect(await credentials.refused(presented)).toBe(true)
  expect(await credentials.refused(presented)).toBe(true)
})

test.each([
  ["deployment-controller", "deployment-controller"],
  ["garbage-collector-controller", "generic-garbage-collector"],
  ["persistentvolume-sweeper-controller", "persistent-volume-binder"],
  ["legacy-serviceaccount-token-cleaner-controller", "legacy-service-account-token-cleaner"],
  ["serviceaccount-token-controller", undefined],
])("%s works as %s", (controller, name) => {
  expect(accountOf(controller)).toBe(name)
})

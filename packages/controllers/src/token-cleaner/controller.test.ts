import { secrets } from "@pilothouse/api/core/v1"
import { cluster, crashPoints } from "@pilothouse/testing"
import { expect, test } from "vitest"

const only = { nodes: 0, controllers: ["tokencleaner"] }
const token = (name: string, expiration: string) => ({
  apiVersion: "v1",
  kind: "Secret",
  type: "bootstrap.kubernetes.io/token",
  metadata: { name: `bootstrap-token-${name}`, namespace: "kube-system" },
  stringData: { "token-id": name, "token-secret": "0123456789abcdef", expiration },
})
const inMinutes = (now: number, minutes: number) => new Date(now + minutes * 60_000).toISOString().replace(/\.\d+/, "")

test("tokens go when they expire, by the rights of its own account", async () => {
  await using running = await cluster({ ...only, rbac: true })
  const now = running.clock.now()
  await running.apply([token("aaaaaa", inMinutes(now, 5)), token("bbbbbb", inMinutes(now, 60)), token("cccccc", inMinutes(now, -1))])
  const names = async () => (await running.list(secrets, { namespace: "kube-system" })).map(({ metadata }) => metadata.name)
  await running.settled()
  expect(await names()).toEqual(["bootstrap-token-aaaaaa", "bootstrap-token-bbbbbb"])
  await running.advance("6m")
  expect(await names()).toEqual(["bootstrap-token-bbbbbb"])
})

test("a crash at any call ends the same", async () => {
  const report = await crashPoints(
    {
      cluster: only,
      async run(running) {
        await running.apply(token("aaaaaa", inMinutes(running.clock.now(), 1)))
        await running.advance("2m")
      },
    },
    { sample: 6, seed: 3, writers: ["token-cleaner-controller"] },
  )
  expect(report.tried).toBeGreaterThan(0)
})

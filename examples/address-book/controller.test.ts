import { isConditionTrue } from "@pilothouse/api"
import { configMaps, events, type Service, services } from "@pilothouse/api/core/v1"
import { cluster, crashPoints } from "@pilothouse/testing"
import { expect, test, vi } from "vitest"
import { addressBook } from "./controller.ts"

const options = { nodes: 0, controllers: ["garbage-collector"], extra: [addressBook] }

function web(port: number): Service {
  return { apiVersion: "v1", kind: "Service", metadata: { name: "web" }, spec: { ports: [{ port }] } }
}

test("a Service has its page, its status says so, and one event is recorded", async () => {
  await using c = await cluster(options)
  await c.apply(web(80))
  await c.settled()
  expect((await c.client.get(configMaps, "default/web-address")).data).toEqual({ host: "web.default.svc", ports: "80" })
  expect(isConditionTrue((await c.client.get(services, "default/web")).status?.conditions, "example.com/Listed")).toBe(true)
  await c.advance("1m")
  expect((await c.list(events)).filter(({ reason, involvedObject }) => reason === "Listed" && involvedObject.name === "web")).toHaveLength(
    1,
  )
})

test("the page follows the Service, and is put right when a user changes or deletes it", async () => {
  await using c = await cluster(options)
  await c.apply(web(80))
  await c.settled()
  const ports = async () => (await c.client.get(configMaps, "default/web-address")).data?.ports
  await c.client.patch(services, "default/web", { spec: { ports: [{ port: 8080 }] } })
  await c.settled()
  expect(await ports()).toBe("8080")
  await c.client.patch(configMaps, "default/web-address", { data: { ports: "1" } })
  await c.settled()
  expect(await ports()).toBe("8080")
  await c.client.patch(configMaps, "default/web-address", { data: { extra: "1" } })
  await c.settled()
  expect((await c.client.get(configMaps, "default/web-address")).data).toEqual({ host: "web.default.svc", ports: "8080" })
  await c.client.delete(configMaps, "default/web-address")
  await c.settled()
  expect(await ports()).toBe("8080")
})

test("the page goes with its Service", async () => {
  await using c = await cluster(options)
  await c.apply(web(80))
  await c.settled()
  await c.client.delete(services, "default/web")
  await c.advance("1m")
  expect((await c.list(configMaps, { namespace: "default" })).map(({ metadata }) => metadata.name)).not.toContain("web-address")
})

test("a crash at any API call changes nothing in the end", async () => {
  const report = await crashPoints({
    cluster: { ...options, controllers: [] },
    async run(c) {
      await c.apply(web(80))
      await c.advance("1m")
    },
  })
  expect(report.writers).toContain("address-book")
}, 300_000)

test("the program prints what happens and ends", async () => {
  const print = vi.spyOn(console, "log").mockImplementation(() => {})
  await import("./main.ts")
  const lines = print.mock.calls.map(([line]) => String(line))
  print.mockRestore()
  expect(lines).toContain("09:00 address-book default/web: create ConfigMap default/web-address, because the Service has no page: done")
  expect(lines.at(-1)).toBe("web has the ports 8080")
})

import type { Service } from "@pilothouse/api/core/v1"
import { PilothouseError, seededRandom } from "@pilothouse/seams"
import { cluster } from "@pilothouse/testing"
import { expect, test } from "vitest"
import { explainEndpoint } from "./explain-endpoint.ts"

const web: Service = {
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "web", namespace: "default" },
  spec: { selector: { app: "web" }, ports: [{ name: "http", port: 80 }] },
}

async function explaining() {
  const running = await cluster({ nodes: 0 })
  await running.apply(web)
  const seams = { client: running.client, clock: running.clock, random: seededRandom(1) }
  const ask = async (host: string) => {
    const asked = explainEndpoint(seams, host, undefined)
    asked.catch(() => undefined)
    await running.advance("11s")
    return asked
  }
  return { running, ask }
}

test.each([
  ["kubernetes.default:1", "expected a port of kubernetes.default.svc.cluster.local (443), found 1"],
  ["wep.default.svc.cluster.local", 'did you mean "web.default.svc.cluster.local"?'],
  ["nothing.like.it", "lists the services"],
  ["web.default.svc.cluster.local:81", "expected a port of web.default.svc.cluster.local (80), found 81"],
])("%s is refused: %s", async (host, words) => {
  const { running, ask } = await explaining()
  await expect(ask(host)).rejects.toThrow(words)
  await running[Symbol.asyncDispose]()
})

test.each(["web.default.svc.cluster.local:80", "web.default:80", "web"])("a host that is known is explained: %s", async (host) => {
  const { running, ask } = await explaining()
  expect((await ask(host)).answer).toBe("web.default.svc.cluster.local: 0 of 0 endpoints are told")
  await running[Symbol.asyncDispose]()
})

test("a short name that two services have is refused with both", async () => {
  const { running, ask } = await explaining()
  await running.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } })
  await running.apply({ ...web, metadata: { name: "web", namespace: "shop" } })
  await expect(ask("web:80")).rejects.toThrow("found web, which may be web.default.svc.cluster.local or web.shop.svc.cluster.local")
  await running[Symbol.asyncDispose]()
})

test("a cluster that does not answer: that is what failed, and no answer about the endpoint", async () => {
  const running = await cluster({ nodes: 0 })
  const lost = () => Promise.reject(new PilothouseError("CONNECTION_LOST", "nobody answers"))
  const client = { ...running.client, list: lost, watch: lost }
  const asked = explainEndpoint({ client, clock: running.clock, random: seededRandom(1) }, "web.default.svc.cluster.local", undefined)
  asked.catch(() => undefined)
  await running.advance("11s")
  await expect(asked).rejects.toMatchObject({ code: "TIMEOUT", message: expect.stringContaining("within 10 s") })
  await running[Symbol.asyncDispose]()
})

import type { Service } from "@pilothouse/api/core/v1"
import { createClient } from "@pilothouse/runtime"
import { PilothouseError, seededRandom, type Transport } from "@pilothouse/seams"
import { cluster } from "@pilothouse/testing"
import { expect, test } from "vitest"
import { explainEndpoint } from "./explain-endpoint.ts"
import type { RegistrySettings } from "./registry-flags.ts"

const web: Service = {
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "web", namespace: "default" },
  spec: { selector: { app: "web" }, ports: [{ name: "http", port: 80 }] },
}

async function explaining(reading: RegistrySettings = {}) {
  const running = await cluster({ nodes: 0 })
  await running.apply(web)
  const seams = { client: running.client, clock: running.clock, random: seededRandom(1), reading }
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
  ["kubernets", 'did you mean "kubernetes"?'],
  ["kubernetes.defualt:443", 'did you mean "kubernetes.default"?'],
  ["nothing.like.it", "lists the services"],
  ["web.default.svc.cluster.local:81", "expected a port of web.default.svc.cluster.local (80), found 81"],
])("%s is refused: %s", async (host, words) => {
  const { running, ask } = await explaining()
  await expect(ask(host)).rejects.toThrow(words)
  await running[Symbol.asyncDispose]()
})

test.each(["web.default.svc.cluster.local:80", "web.default:80", "web", "WEB.Default.svc.cluster.local.:80"])(
  "a host that is known is explained: %s",
  async (host) => {
    const { running, ask } = await explaining()
    expect((await ask(host)).answer).toBe("web.default.svc.cluster.local: 0 of 0 endpoints are sent")
    await running[Symbol.asyncDispose]()
  },
)

test("reads the cluster by the same settings as the server", async () => {
  const { running, ask } = await explaining({ domainSuffix: "x.org" })
  expect((await ask("web")).answer).toBe("web.default.svc.x.org: 0 of 0 endpoints are sent")
  await running[Symbol.asyncDispose]()
})

const old: Service = {
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "old", namespace: "default" },
  spec: { type: "ExternalName", externalName: "web.default.svc.cluster.local" },
}

test("an alias has the ports of what it stands for, and says whose endpoints they are", async () => {
  const { running, ask } = await explaining({ externalNames: "alias" })
  await running.apply(old)
  const whose = "old.default.svc.cluster.local is an alias of web.default.svc.cluster.local"
  expect((await ask("old:80")).answer).toBe(`${whose}; web.default.svc.cluster.local: 0 of 0 endpoints are sent`)
  await expect(ask("old:81")).rejects.toThrow("expected a port of old.default.svc.cluster.local (80), found 81")
  await running[Symbol.asyncDispose]()
})

test("of an alias that leads nowhere any port may be asked for: the answer is that", async () => {
  const { running, ask } = await explaining({ externalNames: "alias" })
  await running.apply({ ...old, spec: { type: "ExternalName", externalName: "api.example.com" } })
  expect((await ask("old:80")).answer).toBe(
    "old.default.svc.cluster.local is an alias of api.example.com, which no service has as its hostname; it is not sent to clients",
  )
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
  const lost = () => Promise.reject(new PilothouseError("CONNECTION_LOST", "no answer from the server"))
  const client = { ...running.client, list: lost, watch: lost }
  const seams = { client, clock: running.clock, random: seededRandom(1), where: "https://10.0.0.1:6443 (dead.yaml)" }
  const asked = explainEndpoint(seams, "web.default.svc.cluster.local", undefined)
  asked.catch(() => undefined)
  await running.advance("11s")
  await expect(asked).rejects.toMatchObject({
    code: "TIMEOUT",
    message: expect.stringMatching(
      /^expected to read the cluster at https:\/\/10\.0\.0\.1:6443 \(dead\.yaml\) within 10 s, found .*services.* not read: no answer from the server.*--kubeconfig/,
    ) as string,
  })
  await running[Symbol.asyncDispose]()
})

test("reports a cluster that does not answer as that", async () => {
  const running = await cluster({ nodes: 0 })
  const silent: Transport = ({ signal }) =>
    new Promise((_resolve, reject) => signal?.addEventListener("abort", () => reject(new Error("the caller waits no longer"))))
  const asked = explainEndpoint({ client: createClient(silent, {}), clock: running.clock, random: seededRandom(1) }, "web", undefined)
  asked.catch(() => undefined)
  await running.advance("11s")
  await expect(asked).rejects.toThrow("expected to read the cluster within 10 s, found no answer")
  await running[Symbol.asyncDispose]()
})

test("only of an ExternalName a name is an endpoint", async () => {
  const running = await cluster({ nodes: 0 })
  await running.apply(web)
  await running.apply({ ...old, spec: { type: "ExternalName", externalName: "api.example.com", ports: [{ name: "http", port: 80 }] } })
  const ask = async (host: string) => {
    const seams = { client: running.client, clock: running.clock, random: seededRandom(1) }
    const asked = explainEndpoint(seams, host, "api.example.com")
    asked.catch(() => undefined)
    await running.advance("11s")
    return asked
  }
  expect((await ask("old")).answer).toBe("api.example.com is in: the service is an ExternalName of api.example.com")
  await expect(ask("web")).rejects.toMatchObject({ code: "USAGE", message: expect.stringContaining("an IP address such as") as string })
  await running[Symbol.asyncDispose]()
})

// npm run test:real -- aggregation: APIServices and extension servers on the loopback, of the real API server and of ours.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { request } from "node:https"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { ensureFrontProxy } from "@pilothouse/apiserver"
import { stringifyJson } from "@pilothouse/seams"
import { systemClock, systemFiles, systemRandom } from "@pilothouse/seams/system"
import { comparable } from "../admission/comparable.ts"
import type { ApiAnswer, ApiClient, ApiRequest } from "../api-client.ts"
import { startControlPlane } from "../control-plane.ts"
import { freePorts } from "../free-ports.ts"
import { needsKubernetes } from "../needs-kubernetes.ts"
import { startOurApiServer } from "../our-api-server.ts"
import type { Suite, SuiteContext } from "../suite.ts"
import { users } from "../users.ts"
import { type ExtensionServer, type Program, startExtensionServer } from "./extension-server.ts"
import { broken, groupOf, namespace, suffix, working } from "./programs.ts"
import { requests } from "./requests.ts"

export const suite: Suite = { skipReason: needsKubernetes, run }

interface Side {
  readonly client: ApiClient
  readonly port: number
  readonly ca: string
  readonly extension: ExtensionServer
  /** Where nothing listens. */
  readonly closed: number
}

/** An APIService, and the Service behind it where that is not one that leads to the extension server. */
interface Registered {
  readonly name: string
  readonly version?: string
  readonly spec?: (side: Side) => object
  readonly service?: (side: Side) => object | undefined
  readonly slice?: object
}

/** A name of the host: endpoints may not be on the loopback, and kube-apiserver's default routing leads to a cluster address or a name. */
const named = { externalName: "localhost", type: "ExternalName" }
const ports = [{ name: "https", port: 443 }]
const endpointSlice = {
  addressType: "IPv4",
  endpoints: [{ addresses: ["192.0.2.1"] }],
  ports: [{ name: "http", port: 80, protocol: "TCP" }],
}

const registered: readonly Registered[] = [
  { name: "echo", spec: () => ({ groupPriorityMinimum: 1500, versionPriority: 10 }) },
  { name: "legacy" },
  { name: "many", version: "v1" },
  { name: "many", version: "v1beta1", spec: () => ({ versionPriority: 9 }) },
  { name: "many", version: "v2", spec: () => ({ versionPriority: 20 }) },
  { name: "high", spec: () => ({ groupPriorityMinimum: 19_000 }) },
  { name: "absent", service: () => undefined },
  { name: "portless", service: () => ({ ports: [{ name: "https", port: 444 }] }), spec: () => portOf(443) },
  { name: "sliceless", service: () => ({ ports }), spec: () => portOf(443) },
  { name: "unmatched", service: () => ({ ports }), spec: () => portOf(443), slice: endpointSlice },
  { name: "refused", spec: ({ closed }) => portOf(closed) },
  {
    name: "unverified",
    spec: ({ extension }) => ({ insecureSkipTLSVerify: false, caBundle: Buffer.from(extension.ca).toString("base64") }),
  },
  ...[...broken.keys()].map((name) => ({ name })),
]

function portOf(port: number): object {
  return { port }
}

const programs: ReadonlyMap<string, Program> = new Map([
  ["echo", working("echo")],
  ["legacy", working("legacy", ["v1"], { legacy: true })],
  ["many", working("many", ["v1", "v1beta1", "v2"])],
  ["high", working("high")],
  ...broken,
])

async function run({ tally }: SuiteContext): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), "pilothouse-aggregation-"))
  try {
    await compared(directory, tally)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

async function compared(directory: string, tally: SuiteContext["tally"]): Promise<void> {
  const frontProxy = await ensureFrontProxy({ files: systemFiles, clock: systemClock, random: systemRandom(), directory })
  await using real = await startControlPlane({ apiServerFlags: frontProxyFlags(directory, frontProxy) })
  await using ours = await startOurApiServer({ frontProxy })
  await using first = await startExtensionServer(join(directory, "real"), programs)
  await using second = await startExtensionServer(join(directory, "ours"), programs)
  const [one = 0, other = 0] = await freePorts(2)
  const sides: readonly Side[] = [
    { client: real.client, port: Number(new URL(real.url).port), ca: real.ca, extension: first, closed: one },
    { client: ours.client, port: ours.port, ca: ours.ca, extension: second, closed: other },
  ]
  await Promise.all(sides.map(register))
  await tally.group("conditions of APIServices", async (group) => {
    for (const { name, version = "v1" } of registered) {
      const path = `/apis/apiregistration.k8s.io/v1/apiservices/${version}.${groupOf(name)}`
      group.case(
        `${name} ${version}`,
        await sameInTheEnd(sides, async (side) => conditionsOf(await side.client.send({ verb: "GET", path }))),
      )
    }
  })
  await tally.group("requests to extension servers", async (group) => {
    for (const [name, sent] of Object.entries(requests)) group.case(name, await same(sides, (side) => answerTo(side, sent)))
    group.case("an upgrade", await same(sides, upgraded))
  })
  await tally.group("discovery and OpenAPI", async (group) => {
    for (const [name, read] of Object.entries(documents)) group.case(name, await sameInTheEnd(sides, read))
  })
  await tally.group("metrics", async (group) => {
    group.case("unavailable APIServices", await sameInTheEnd(sides, unavailableSeries))
  })
}

function frontProxyFlags(directory: string, { client, ca }: Awaited<ReturnType<typeof ensureFrontProxy>>): readonly string[] {
  const pair = client()
  if (pair === undefined) throw new Error("expected a certificate of the front proxy, found none")
  const file = (name: string, text: string) => {
    writeFileSync(join(directory, name), text, { mode: 0o600 })
    return join(directory, name)
  }
  return [
    `--requestheader-client-ca-file=${file("front-proxy-ca.crt", ca)}`,
    "--requestheader-allowed-names=front-proxy-client",
    "--requestheader-username-headers=X-Remote-User",
    "--requestheader-group-headers=X-Remote-Group",
    "--requestheader-extra-headers-prefix=X-Remote-Extra-",
    `--proxy-client-cert-file=${file("proxy.crt", pair.certificate)}`,
    `--proxy-client-key-file=${file("proxy.key", pair.key)}`,
  ]
}

async function register(side: Side): Promise<void> {
  const post = (path: string, body: object) => side.client.object({ verb: "POST", path, body })
  await post("/api/v1/namespaces", { metadata: { name: namespace } })
  const known = new Set<string>()
  for (const { name, version = "v1", spec, service = () => named, slice } of registered) {
    const behind = known.has(name) ? undefined : service(side)
    known.add(name)
    if (behind !== undefined) await post(`/api/v1/namespaces/${namespace}/services`, { metadata: { name }, spec: behind })
    if (slice !== undefined) {
      const metadata = { name, labels: { "kubernetes.io/service-name": name } }
      await post(`/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices`, { metadata, ...slice })
    }
    const { port = side.extension.port, ...more } = (spec?.(side) ?? {}) as { readonly port?: number }
    const own = { group: groupOf(name), version, service: { name, namespace, port }, groupPriorityMinimum: 1000, versionPriority: 15 }
    const body = { metadata: { name: `${version}.${groupOf(name)}` }, spec: { ...own, insecureSkipTLSVerify: true, ...more } }
    await post("/apis/apiregistration.k8s.io/v1/apiservices", body)
  }
}

type Read = (side: Side) => Promise<unknown>

async function same(sides: readonly Side[], read: Read): Promise<string | undefined> {
  const [theirs, own] = await Promise.all(sides.map(async (side) => text(await read(side), side)))
  return theirs === own ? undefined : `the server: ${theirs}\nours:       ${own}`
}

/** What controllers bring about takes each server its own time. */
async function sameInTheEnd(sides: readonly Side[], read: Read): Promise<string | undefined> {
  let found = await same(sides, read)
  for (let tries = 0; found !== undefined && tries < 60; tries++) {
    await delay(500)
    found = await same(sides, read)
  }
  return found
}

function text(value: unknown, { port, extension, closed }: Side): string {
  const numbers = [port, extension.port, closed].map((one) => new RegExp(`\\b${one}\\b`, "g"))
  return numbers.reduce((found, one) => found.replaceAll(one, "<port>"), stringifyJson(comparable(value)))
}

function conditionsOf({ value }: ApiAnswer): unknown {
  const { status } = value as { readonly status?: { readonly conditions?: readonly Readonly<Record<string, unknown>>[] } }
  return (status?.conditions ?? []).map(({ lastTransitionTime: _, ...condition }) => condition)
}

async function answerTo({ client }: Side, sent: ApiRequest): Promise<unknown> {
  const { status, contentType, bytes, warnings, headers } = await client.send(sent)
  // Ours gives each of its documents an ETag, where upstream gives one to OpenAPI and to aggregated discovery alone.
  const isOwnDocument = /^"[0-9A-F]{128}"$/.test(String(headers.etag))
  const shown = Object.entries(headers).filter(([name]) => !drawn.has(name) && !(isOwnDocument && /^(etag|vary)$/.test(name)))
  // Several in one line or in a line each mean the same.
  const each = warnings.flatMap((text) => text.split(/, (?=299 - )/))
  return { status, contentType, value: jsonOrText(bytes.toString()), warnings: each, headers: Object.fromEntries(shown) }
}

/** Extension servers answer with JSON, lines of JSON and other texts, whatever type they name. */
function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Headers that each server draws or whose form is the protocol's. */
const drawn: ReadonlySet<string> = new Set([
  "date",
  "audit-id",
  "content-length",
  "connection",
  "keep-alive",
  "transfer-encoding",
  "strict-transport-security",
  "x-kubernetes-pf-flowschema-uid",
  "x-kubernetes-pf-prioritylevel-uid",
])

/** What comes back over a connection that was upgraded. */
function upgraded({ port, ca }: Side): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const path = `/apis/${groupOf("echo")}/v1/namespaces/default/things/a/exec`
    // Ours takes no other protocol than clients of Kubernetes speak: this one and WebSocket.
    const headers = { connection: "Upgrade", upgrade: "SPDY/3.1", authorization: `Bearer ${users.admin.token}` }
    const sent = request({ host: "127.0.0.1", port, ca, path, headers, agent: false })
    sent.once("error", reject)
    sent.once("response", ({ statusCode }) => resolve({ statusCode }))
    sent.once("upgrade", (response, socket) => {
      socket.once("error", reject)
      socket.once("data", (chunk: Buffer) => {
        socket.destroy()
        resolve({ status: response.statusCode, upgrade: response.headers.upgrade, echoed: chunk.toString() })
      })
      socket.write("hello")
    })
    sent.end()
  })
}

interface Named {
  readonly name?: string
  readonly metadata?: { readonly name: string }
}

function ofSuite(one: Named): boolean {
  return (one.name ?? one.metadata?.name ?? "").endsWith(suffix)
}

const aggregatedDiscovery = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"

const documents: Readonly<Record<string, Read>> = {
  groups: async ({ client }) => {
    const { groups } = await client.object<{ readonly groups: readonly Named[] }>({ verb: "GET", path: "/apis" })
    return groups.filter(ofSuite)
  },
  "the place of groups among the others": async ({ client }) => {
    const { groups } = await client.object<{ readonly groups: readonly Named[] }>({ verb: "GET", path: "/apis" })
    return groups.map(({ name }) => name).filter((name) => name === groupOf("high") || name === groupOf("echo") || name === "apps")
  },
  "aggregated discovery": async ({ client }) => {
    const { items } = await client.object<{ readonly items: readonly Named[] }>({ verb: "GET", path: "/apis", accept: aggregatedDiscovery })
    return items.filter(ofSuite)
  },
  "a group of three versions": ({ client }) => client.object({ verb: "GET", path: `/apis/${groupOf("many")}` }),
  "OpenAPI v3": async ({ client }) => {
    // Upstream names no type for the list, and what Go then finds in its first bytes is text.
    const { bytes } = await client.send({ verb: "GET", path: "/openapi/v3" })
    const { paths } = JSON.parse(bytes.toString()) as { readonly paths: Readonly<Record<string, unknown>> }
    return Object.fromEntries(Object.entries(paths).filter(([path]) => path.includes(suffix)))
  },
  "a document of OpenAPI v3": async ({ client }) => {
    const { status, contentType, value } = await client.send({ verb: "GET", path: `/openapi/v3/apis/${groupOf("echo")}/v1` })
    return { status, contentType, value }
  },
  "OpenAPI v2": async ({ client }) => {
    const document = await client.object<Readonly<Record<"paths" | "definitions", object>>>({ verb: "GET", path: "/openapi/v2" })
    const own = (from: object) => Object.fromEntries(Object.entries(from).filter(([name]) => /aggregated/.test(name)))
    return { paths: own(document.paths), definitions: own(document.definitions) }
  },
}

/** Those of local APIServices too, which are always 0. */
async function unavailableSeries({ client }: Side): Promise<unknown> {
  const { bytes } = await client.send({ verb: "GET", path: "/metrics" })
  const lines = bytes.toString().split("\n")
  return lines.filter((line) => line.startsWith("aggregator_unavailable_apiservice")).sort()
}

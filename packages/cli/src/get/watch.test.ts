import { expired, internalError, type KubeObject } from "@pilothouse/api"
import { configMaps, nodes } from "@pilothouse/api/core/v1"
import { createClient } from "@pilothouse/runtime"
import { type Duration, messageOf, type Transport, type TransportResponse, valueBody } from "@pilothouse/seams"
import { type Cluster, cluster } from "@pilothouse/testing"
import { expect, test } from "vitest"
import { findAsked } from "../client/find-resource.ts"
import { printed } from "../commands/testing/connection.ts"
import type { GetOptions } from "./output.ts"
import { printAndWatch } from "./watch.ts"

function map(name: string, namespace = "default"): KubeObject {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace, labels: { app: name } } }
}

interface Watching extends AsyncDisposable {
  /** What was printed since it was last asked for. */
  more(): string
  after(time: Duration): Promise<string>
}

async function watching(
  running: Cluster,
  words: readonly string[],
  options: Partial<GetOptions> = {},
  transport = running.transport,
): Promise<Watching> {
  const stop = new AbortController()
  const { print, text } = printed()
  const client = createClient(transport)
  const scope = { namespace: "default", ...options }
  const ended = printAndWatch(client, await findAsked(client, words), scope, { print, clock: running.clock, signal: stop.signal })
  await running.settled()
  let seen = 0
  const more = () => {
    const all = text()
    const fresh = all.slice(seen)
    seen = all.length
    return fresh
  }
  return {
    more,
    after: async (time) => {
      await running.advance(time)
      return more()
    },
    [Symbol.asyncDispose]: async () => {
      stop.abort()
      await ended
    },
  }
}

test("what is there, then what comes, changes and goes", async () => {
  await using running = await cluster({ controllers: [], nodes: 0 })
  await running.apply(map("one"))
  await using watch = await watching(running, ["cm"])
  expect(watch.more()).toMatch(/^NAME +DATA +AGE\none +0 +0s\n$/)
  await running.apply(map("two"))
  expect(await watch.after("1s")).toMatch(/^two +0 +\ds\n$/)
  await running.client.delete(configMaps, "default/one")
  expect(await watch.after("1s")).toBe("one   deleted\n")
})

test.each<[name: string, options: Partial<GetOptions>, line: RegExp]>([
  ["the namespace", { allNamespaces: true }, /^default +two +0 +\ds\n$/],
  ["the labels", { showLabels: true }, /^two +0 +\ds +app=two\n$/],
  ["its name", { output: "name" }, /^configmap\/two\n$/],
  ["all of it", { output: "yaml" }, /^---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n[^]* {2}name: two\n/],
  ["all of it in JSON", { output: "json" }, /^\{\n {4}"kind": "ConfigMap",\n {4}"apiVersion": "v1",\n/],
])("a change has %s, as the first lines have", async (_name, options, line) => {
  await using running = await cluster({ controllers: [], nodes: 0 })
  await using watch = await watching(running, ["cm"], options)
  watch.more()
  await running.apply(map("two"))
  expect(await watch.after("1s")).toMatch(line)
})

test("prints what is deleted with its namespace, as the first lines have it", async () => {
  await using running = await cluster({ controllers: [], nodes: 0 })
  await running.apply(map("one"))
  await using watch = await watching(running, ["cm"], { allNamespaces: true })
  watch.more()
  await running.client.delete(configMaps, "default/one")
  expect(await watch.after("1s")).toBe("default   one   deleted\n")
})

test("only those that were named", async () => {
  await using running = await cluster({ controllers: [], nodes: 0 })
  await running.apply(map("one"))
  await using watch = await watching(running, ["cm", "one"])
  watch.more()
  await running.apply(map("two"))
  await running.apply({ ...map("one"), data: { a: "b" } } as KubeObject)
  expect(await watch.after("1s")).toMatch(/^one +1 +\ds\n$/)
})

test("ended with the server's watch: goes on where it was", async () => {
  await using running = await cluster({ controllers: [], nodes: 0 })
  let watches = 0
  const transport: Transport = (request) => {
    if (request.query.watch !== "true") return running.transport(request)
    watches++
    return running.transport({ ...request, query: { ...request.query, timeoutSeconds: "2" } })
  }
  await using watch = await watching(running, ["cm"], {}, transport)
  watch.more()
  await running.advance("2500ms")
  // Between two watches.
  await running.apply(map("two"))
  expect(await watch.after("10s")).toMatch(/^two +0 +\d+s\n$/)
  expect(watches).toBeGreaterThan(2)
})

/** The first watch is the cluster's, for two seconds; the second is answered with this; from then on they are the cluster's again. */
function secondWatch(running: Cluster, answer: () => TransportResponse): Transport {
  let watches = 0
  return async (request) => {
    if (request.query.watch !== "true") return running.transport(request)
    watches++
    if (watches === 2) return answer()
    return running.transport(watches > 1 ? request : { ...request, query: { ...request.query, timeoutSeconds: "2" } })
  }
}

async function* onlyEvent(value: unknown) {
  yield valueBody({ type: "ERROR", object: value })
}

const forgotten = expired("too old resource version").status

test.each<[name: string, answer: () => TransportResponse]>([
  ["an answer", () => ({ status: 410, headers: {}, body: valueBody(forgotten) })],
  ["an event", () => ({ status: 200, headers: {}, body: { type: "stream", frames: onlyEvent(forgotten) } })],
])("what the server has forgotten, told by %s: what changed, came and went is shown, and nothing else", async (_name, answer) => {
  await using running = await cluster({ controllers: [], nodes: 0 })
  for (const name of ["gone", "other", "same"]) await running.apply(map(name))
  await using watch = await watching(running, ["cm"], {}, secondWatch(running, answer))
  watch.more()
  await running.apply(map("early"))
  await running.apply(map("brief"))
  await running.client.delete(configMaps, "default/brief")
  expect(await watch.after("2500ms")).toMatch(/^early .*\n(brief .*\n)+$/)
  // Between two watches.
  await running.apply(map("fresh"))
  await running.apply({ ...map("other"), data: { a: "b" } } as KubeObject)
  await running.client.delete(configMaps, "default/gone")
  expect(await watch.after("1s")).toMatch(/^fresh +0 +\ds\nother +1 +\ds\ngone +deleted\n$/)
  await running.apply(map("later"))
  expect(await watch.after("2s")).toMatch(/^later +0 +\ds\n$/)
})

test("any other failure of a watch ends it, with the server's words", async () => {
  await using running = await cluster({ controllers: [], nodes: 0 })
  const frames = onlyEvent(internalError("the cache is broken").status)
  const transport = secondWatch(running, () => ({ status: 200, headers: {}, body: { type: "stream", frames } }))
  const client = createClient(transport)
  const asked = await findAsked(client, ["cm"])
  const seams = { print: () => {}, clock: running.clock, signal: new AbortController().signal }
  const ended = printAndWatch(client, asked, { namespace: "default" }, seams).catch(messageOf)
  await running.advance("10s")
  expect(await ended).toContain("the cache is broken")
})

const metrics = ["nodes.metrics.k8s.io"]
const busy = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "busy", namespace: "default", annotations: { "pilothouse.dev/cpu": "0s=700m" } },
  spec: { nodeName: "node-1", containers: [{ name: "busy", image: "busy" }] },
} as KubeObject

test.each<[name: string, options: Partial<GetOptions>, line: RegExp]>([
  ["in columns", {}, /^node-1 +\S+\n$/],
  ["by name", { output: "name" }, /^nodemetrics\.metrics\.k8s\.io\/node-1\n$/],
  ["in JSON", { output: "json" }, /^\{\n[^]*"name": "node-1"[^]*"cpu": "700m"[^]*\n\}\n$/],
  ["in YAML", { output: "yaml" }, /^---\n[^]* name: node-1\n[^]*cpu: 700m\n/],
])("what cannot be watched is asked for again and again, and shown where it has changed: %s", async (_name, options, line) => {
  await using running = await cluster({ controllers: [], nodes: 2 })
  await running.advance("30s")
  await using watch = await watching(running, metrics, options)
  expect(watch.more()).toContain("node-2")
  expect(await watch.after("20s")).toBe("")
  await running.apply(busy)
  const shown = await watch.after("20s")
  expect(shown).toMatch(line)
  expect(shown).not.toContain("node-2")
})

test("prints once what cannot be watched and is deleted", async () => {
  await using running = await cluster({ controllers: [], nodes: 2 })
  await running.advance("30s")
  await using watch = await watching(running, metrics)
  watch.more()
  await running.client.delete(nodes, "node-1")
  expect(await watch.after("10s")).toBe("node-1   deleted\n")
})

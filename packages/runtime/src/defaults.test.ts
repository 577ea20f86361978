import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { hostname, tmpdir } from "node:os"
import { join } from "node:path"
import type { Lease } from "@pilothouse/api/coordination/v1"
import { configMaps } from "@pilothouse/api/core/v1"
import { type Log, recordingLog, silentLog, type Transport, valueBody } from "@pilothouse/seams"
import { systemClock } from "@pilothouse/seams/system"
import { afterAll, describe, expect, onTestFinished, test, vi } from "vitest"
import { createClient } from "./client/client.ts"
import { controller } from "./controller/controller.ts"
import { plan } from "./controller/plan/plan-builder.ts"
import { defaultTransport, manager, transportTo } from "./defaults.ts"
import { ca } from "./http/testing/certificates.ts"
import { testServer } from "./http/testing/server.ts"

const base = mkdtempSync(join(tmpdir(), "pilothouse-defaults-"))
afterAll(() => rmSync(base, { recursive: true }))

function kubeconfigOf(server: string): string {
  const path = join(base, `${new URL(server).port}.yaml`)
  const config = {
    "current-context": "x",
    contexts: [{ name: "x", context: { cluster: "c", user: "u", namespace: "web" } }],
    clusters: [{ name: "c", cluster: { server, "certificate-authority-data": Buffer.from(ca).toString("base64") } }],
    users: [{ name: "u", user: { token: "abc" } }],
  }
  writeFileSync(path, JSON.stringify(config))
  return path
}

describe("defaultTransport", () => {
  test("speaks to the server of a kubeconfig, as its user", async () => {
    await using server = await testServer((request, response) => {
      response.end(JSON.stringify({ kind: "ConfigMap", metadata: { name: "a" }, data: { who: request.headers.authorization } }))
    })
    await using made = await defaultTransport({ kubeconfig: kubeconfigOf(server.url) })
    expect(made).toMatchObject({ server: server.url, namespace: "web" })
    expect(await createClient(made.transport).get(configMaps, "web/a")).toMatchObject({ data: { who: "Bearer abc" } })
  })
})

describe("manager", () => {
  test("making one does nothing; run says what is missing", async () => {
    const made = manager({ controllers: [], kubeconfig: join(base, "none") })
    await expect(made.run(AbortSignal.abort())).rejects.toMatchObject({ code: "FILE" })
  })

  test("runs controllers over the kubeconfig's server until the signal", async () => {
    const stop = new AbortController()
    await using server = await testServer((request, response) => {
      const watches = request.url?.includes("watch=true")
      response.writeHead(watches ? 403 : 200, { "content-type": "application/json" })
      response.end(
        JSON.stringify({
          kind: "ConfigMapList",
          metadata: { resourceVersion: "1" },
          items: [{ metadata: { name: "a", namespace: "web" } }],
        }),
      )
    })
    const seen: string[] = []
    const watcher = controller("watcher", {
      for: configMaps,
      observe: (key) => key,
      decide: (key) => {
        seen.push(key)
        stop.abort()
        return plan().nothing()
      },
    })
    await manager({ controllers: [watcher], kubeconfig: kubeconfigOf(server.url), log: silentLog }).run(stop.signal)
    expect(seen).toEqual(["web/a"])
  })

  test("with a port, health, metrics and trace are answered there while it runs", async () => {
    const refusing: Transport = async () => ({ status: 403, headers: {}, body: valueBody({ kind: "Status", apiVersion: "v1", code: 403 }) })
    const stop = new AbortController()
    const { log, lines } = recordingLog()
    const listens = Promise.withResolvers<void>()
    const telling: Log = { ...log, info: (...line) => (log.info(...line), listens.resolve()) }
    const idle = controller("idle", { for: configMaps, observe: () => undefined, decide: () => plan() })
    const running = manager({ controllers: [idle], transport: refusing, log: telling, port: 0 }).run(stop.signal)
    await listens.promise
    const address = String(lines.find(({ message }) => message === "health, metrics and trace are served")?.fields.address)
    expect(await (await fetch(`${address}/livez`)).text()).toBe("ok")
    expect((await fetch(`${address}/readyz`)).status).toBe(503)
    expect(await (await fetch(`${address}/metrics`)).text()).toContain('rest_client_requests_total{code="403"')
    stop.abort()
    await running
    await expect(fetch(`${address}/livez`)).rejects.toThrow()
  })

  test("its trace and endpoints are there without a port: 503 before it runs and after", async () => {
    const stop = new AbortController()
    const path = (of: string) => ({ verb: "GET" as const, path: of, query: {}, headers: {} })
    const seen: unknown[] = []
    const server: Transport = async ({ query }) => ({
      status: query.watch === undefined ? 200 : 403,
      headers: {},
      body: valueBody({
        kind: "ConfigMapList",
        apiVersion: "v1",
        metadata: { resourceVersion: "1" },
        items: [{ metadata: { name: "a", namespace: "web" } }],
      }),
    })
    const watcher = controller("watcher", {
      for: configMaps,
      observe: async (key) => {
        seen.push((await made.endpoints(path("/livez"))).status)
        return key
      },
      decide: () => (stop.abort(), plan().nothing("it is well")),
    })
    const made = manager({ controllers: [watcher], transport: server, log: silentLog })
    expect((await made.endpoints(path("/livez"))).status).toBe(503)
    await made.run(stop.signal)
    expect(seen).toEqual([200])
    expect(made.trace.entries()).toMatchObject([{ controller: "watcher", key: "web/a" }])
    expect((await made.endpoints(path("/livez"))).status).toBe(503)
  })

  test("two that run the same program with the same options are two candidates", async () => {
    const holders = await Promise.all(
      [1, 2].map(async () => {
        const stop = new AbortController()
        const holder = Promise.withResolvers<string>()
        const transport: Transport = async ({ verb, body }) => {
          if (verb === "POST" && body?.type === "value") {
            holder.resolve((body.value as Lease).spec?.holderIdentity ?? "")
            stop.abort()
          }
          return { status: 404, headers: {}, body: valueBody({ kind: "Status", apiVersion: "v1", code: 404, reason: "NotFound" }) }
        }
        await manager({ controllers: [], transport, leaderElection: { lease: "default/mine" }, log: silentLog }).run(stop.signal)
        return holder.promise
      }),
    )
    for (const holder of holders) expect(holder).toMatch(new RegExp(`^${hostname()}_[0-9a-f]{8}-[0-9a-f-]{27}$`))
    expect(new Set(holders).size).toBe(2)
  })

  test("main(): prints an error of Pilothouse without a stack trace, and the exit code is 1", async () => {
    const said = vi.spyOn(process.stderr, "write").mockReturnValue(true)
    const before = process.exitCode
    onTestFinished(() => {
      said.mockRestore()
      process.exitCode = before
    })
    await manager({ controllers: [], kubeconfig: join(base, "none"), log: silentLog }).main()
    expect(said.mock.calls).toEqual([[expect.stringMatching(/^expected a kubeconfig at .*none, found no file[^\n]*\n$/)]])
    expect(process.exitCode).toBe(1)
  })

  test("main(): a slip of the program's own keeps its stack", async () => {
    const transport: Transport = () => expect.fail("no request is expected")
    const slip = { controllers: undefined as never, transport, log: silentLog }
    await expect(manager(slip).main()).rejects.toThrow(TypeError)
  })

  test("without a signal, Ctrl-C and SIGTERM end it, and it takes its listeners away", async () => {
    const transport: Transport = async () => ({
      status: 403,
      headers: {},
      body: valueBody({ kind: "Status", apiVersion: "v1", code: 403 }),
    })
    const before = process.listenerCount("SIGTERM")
    const running = manager({ controllers: [], transport, log: silentLog }).run()
    expect(process.listenerCount("SIGTERM")).toBe(before + 1)
    // Only its own: other listeners of this process must not stop.
    process.rawListeners("SIGTERM").at(-1)?.call(process)
    await running
    expect(process.listenerCount("SIGTERM")).toBe(before)
  })
})

describe("a server that is in no kubeconfig", () => {
  const get = { verb: "GET", path: "/x", query: {}, headers: {} } as const

  test("an Authorization header is never sent without TLS", async () => {
    const got: unknown[] = []
    const answer: Parameters<typeof testServer>[0] = ({ headers }, response) => {
      got.push(headers.authorization)
      response.end("{}")
    }
    for (const protocol of ["HTTP", "HTTP/2"] as const) {
      await using server = await testServer(answer, { protocol })
      await using opened = await transportTo({ server: server.url, clock: systemClock, authorities: ca, authorization: "Bearer secret" })
      await opened.transport(get)
    }
    expect(got).toEqual([undefined, "Bearer secret"])
  })

  test.each(["HTTP", "HTTP/2"] as const)("an answer over maxAnswerSize ends with INVALID, announced or not (%s)", async (protocol) => {
    const lengths: Record<string, string> = { "/announced": "11" }
    await using server = await testServer(
      ({ url = "" }, response) => {
        response.writeHead(200, lengths[url] === undefined ? {} : { "content-length": lengths[url] })
        response.write("0123456789")
        response.end(url === "/fits" ? undefined : "!")
      },
      { protocol },
    )
    await using opened = await transportTo({ server: server.url, clock: systemClock, authorities: ca, maxAnswerSize: 10 })
    const advice = "request less at once, for example pages with limit, or allow more with maxAnswerSize"
    for (const [path, found] of [
      ["/announced", "one of 11"],
      ["/streamed", "a longer one"],
    ] as const) {
      const message = `expected an answer to GET ${path} of at most 10 bytes, found ${found}; ${advice}`
      await expect(opened.transport({ ...get, path })).rejects.toMatchObject({ code: "INVALID", message })
    }
    expect((await opened.transport({ ...get, path: "/fits" })).body).toMatchObject({ type: "bytes" })
  })

  test("by default an answer of more than 512 MiB is refused before it is read", async () => {
    await using server = await testServer(
      (_, response) => {
        response.writeHead(200, { "content-length": String(2 ** 29 + 1) })
        response.write("0123456789")
      },
      { protocol: "HTTP" },
    )
    await using opened = await transportTo({ server: server.url, clock: systemClock, authorities: ca })
    const message = expect.stringContaining("of at most 536870912 bytes, found one of 536870913; request less at once")
    await expect(opened.transport({ ...get, path: "/long" })).rejects.toMatchObject({ code: "INVALID", message })
  })
})

import { connect } from "node:net"
import { debugPages, type Endpoint } from "@pilothouse/discovery"
import { freePorts } from "../real/free-ports.ts"
import type { Group, Tally } from "../real/tally.ts"
import { Backend, tcpBackend } from "./backend.ts"
import { Discovery, endpoint, service } from "./discovery.ts"
import { EnvoyProcess } from "./envoy-process.ts"
import { Load } from "./load.ts"
import { pause, until } from "./until.ts"

/** What every case has: the server, an Envoy that is LIVE on it, two backends behind "web", and one behind "db". */
interface World {
  readonly program: string
  readonly protocol: "sotw" | "delta"
  discovery: Discovery
  readonly envoy: EnvoyProcess
  readonly one: Backend
  readonly two: Backend
  readonly httpPort: number
  readonly tcpPort: number
}

const web = "web.shop.svc.cluster.local"
const tcpAddress = "127.0.1.7"
const cluster = (name: string, port: number) => `outbound|${port}||${name}.shop.svc.cluster.local`

/** A real Envoy on our server, by one protocol. */
export async function envoySuite(tally: Tally, program: string, protocol: "sotw" | "delta"): Promise<void> {
  const [httpPort = 0, tcpPort = 0] = await freePorts(2)
  await using one = await new Backend("one").start()
  await using two = await new Backend("two").start()
  await using database = await tcpBackend("database")
  const discovery = await new Discovery().start()
  discovery.registry.put(service("web", { ports: [{ name: "http", port: httpPort, protocol: "HTTP" }] }))
  discovery.registry.putEndpoints(web, [endpoint(one.port)])
  const db = service("db", { ports: [{ name: "tcp", port: tcpPort, protocol: "TCP" }], addresses: { test: [tcpAddress] } })
  discovery.registry.put(db)
  discovery.registry.putEndpoints(db.hostname, [endpoint(database.port, { portName: "tcp" })])
  discovery.registry.put(service("empty"))
  await using envoy = await EnvoyProcess.start({ program, protocol, xdsPort: discovery.port })
  const world: World = { program, protocol, discovery, envoy, one, two, httpPort, tcpPort }
  try {
    for (const [name, run] of Object.entries(cases)) await tally.group(`envoy ${protocol}: ${name}`, (group) => run(group, world))
  } finally {
    await world.discovery[Symbol.asyncDispose]()
  }
}

const cases: Readonly<Record<string, (group: Group, world: World) => Promise<void>>> = {
  "goes live, an empty service and all": async (group, { envoy }) => {
    await envoy.live()
    group.case("nothing timed out", await notZero(envoy, "init_fetch_timeout|assignment_use_cached"))
  },
  "HTTP by cluster, and by host through our listener": async (group, { envoy, httpPort }) => {
    group.case("by cluster", differs(await envoy.call(cluster("web", httpPort)), "one"))
    for (const host of [web, "web.shop", "web", `web:${httpPort}`]) {
      group.case(`as ${host}`, differs(await envoy.through(httpPort, host), "one"))
    }
    group.case("an unknown host", differs(await envoy.through(httpPort, "unknown"), "404"))
    group.case("a service without endpoints", differs(await envoy.call(cluster("empty", 8080)), "503"))
  },
  "TCP at a service's address": async (group, { tcpPort }) => {
    group.case("what it says", differs(await said(tcpAddress, tcpPort), "database"))
  },
  "40 endpoint changes under load": async (group, { envoy, discovery, one, two, httpPort }) => {
    const load = new Load(
      () => envoy.call(cluster("web", httpPort)),
      (answer) => answer === "one" || answer === "two",
    )
    for (let turn = 0; turn < 40; turn++) {
      discovery.registry.putEndpoints(web, [endpoint(turn % 2 === 0 ? two.port : one.port)])
      await acked(discovery)
      await pause(20)
    }
    const { sent, failures, answers } = await load.stop()
    group.case("no request failed", failures.length === 0 ? undefined : `${failures.length} of ${sent}: ${failures[0]}`)
    group.case("both had some", answers.size === 2 ? undefined : `only ${[...answers.keys()].join()}`)
    group.note(`${sent} requests, 0 failed`)
  },
  "a pod that goes takes no request with it": async (group, { envoy, discovery, one, httpPort }) => {
    let failed = 0
    let sent = 0
    for (let round = 0; round < 20; round++) {
      const pod = await new Backend("pod").start()
      discovery.registry.putEndpoints(web, [endpoint(one.port), endpoint(pod.port)])
      await acked(discovery)
      const load = new Load(
        () => envoy.call(cluster("web", httpPort)),
        (answer) => answer === "one" || answer === "pod",
      )
      await pause(20)
      discovery.registry.putEndpoints(web, [endpoint(one.port)])
      await acked(discovery)
      await pause(50)
      await pod[Symbol.asyncDispose]()
      await load.stop()
      sent += load.sent
      failed += load.failures.length
    }
    group.case("no request failed", failed === 0 ? undefined : `${failed} of ${sent}`)
    group.note(`${sent} requests over 20 pods`)
  },
  "a new service": async (group, { envoy, discovery, one }) => {
    discovery.registry.put(service("fresh"))
    discovery.registry.putEndpoints("fresh.shop.svc.cluster.local", [endpoint(one.port)])
    await until("the new service to answer", async () => (await envoy.call(cluster("fresh", 8080))) === "one")
    group.case("nothing warms", await warm(envoy))
  },
  "a changed cluster is warm at once": async (group, { envoy, discovery }) => {
    const before = (await envoy.stats("cluster_manager.cluster_modified"))["cluster_manager.cluster_modified"] ?? 0
    discovery.registry.put(service("fresh", { ports: [{ name: "http", port: 8080, protocol: "HTTP2" }] }))
    const modified = async () => ((await envoy.stats("cluster_manager.cluster_modified"))["cluster_manager.cluster_modified"] ?? 0) > before
    await until("the cluster to be modified", modified)
    await until("nothing to warm", async () => (await warm(envoy)) === undefined, 1_000)
    group.case("nothing timed out", await notZero(envoy, "init_fetch_timeout|assignment_use_cached"))
  },
  "no endpoints, and some again": async (group, { envoy, discovery, one, httpPort }) => {
    discovery.registry.putEndpoints(web, [])
    await until("503", async () => (await envoy.call(cluster("web", httpPort))) === "503")
    discovery.registry.putEndpoints(web, [endpoint(one.port)])
    await until("an answer", async () => (await envoy.call(cluster("web", httpPort))) === "one")
    group.case("nothing warms", await warm(envoy))
  },
  "ExternalName by DNS": async (group, { envoy, discovery, one }) => {
    // Not HTTP: its listener would want the very port that the other side has.
    const ports = [{ name: "tcp", port: one.port, protocol: "TCP" as const }]
    discovery.registry.put(service("outside", { resolution: "dns", externalName: "localhost", ports }))
    await until("an answer from outside", async () => (await envoy.call(cluster("outside", one.port))) === "one")
    group.case("nothing warms", await warm(envoy))
  },
  "an ExternalName that is an alias": async (group, { envoy, discovery, httpPort }) => {
    const old = service("old", { resolution: "dns", externalName: web, aliasOf: web, ports: [] })
    discovery.registry.put(old)
    await until("an answer by the alias", async () => (await envoy.through(httpPort, "old.shop")) === "one")
    for (const host of [old.hostname, `old:${httpPort}`]) group.case(`as ${host}`, differs(await envoy.through(httpPort, host), "one"))
    group.case("it has no cluster", (await envoy.admin("/clusters")).includes(old.hostname) ? "it has one" : undefined)
    discovery.registry.remove(old.hostname)
    await until("the name to be unknown", async () => (await envoy.through(httpPort, "old.shop")) === "404")
    group.case("its target is as it was", differs(await envoy.through(httpPort, "web.shop"), "one"))
  },
  "weights, localities and health": async (group, { envoy, discovery, one, two, httpPort }) => {
    discovery.registry.putEndpoints(web, [endpoint(one.port, { health: "draining" }), endpoint(two.port)])
    await acked(discovery)
    await pause(20)
    const load = new Load(
      () => envoy.call(cluster("web", httpPort)),
      (answer) => answer === "two",
    )
    await pause(100)
    const { failures } = await load.stop()
    group.case("a draining endpoint gets nothing", failures.length === 0 ? undefined : `${failures.length}: ${failures[0]}`)
    group.case("what Envoy holds is what we know", await holdsOther(envoy, cluster("web", httpPort), discovery.registry.endpoints(web)))
    discovery.registry.putEndpoints(web, [endpoint(one.port)])
    await acked(discovery)
  },
  "a bad endpoint is refused, and the last good one serves": async (group, { envoy, discovery, one, two, httpPort }) => {
    discovery.registry.putEndpoints(web, [endpoint(two.port, { addresses: ["not-an-address"] })])
    await until("a refusal", () => discovery.metrics.value("pilot_xds_eds_reject") > 0)
    group.case("the last good one serves", differs(await envoy.call(cluster("web", httpPort)), "one"))
    const shown = await page(discovery, "/debug/syncz")
    group.case("syncz shows the text", /NACK/.test(shown) && /not-an-address|malformed/.test(shown) ? undefined : shown)
    discovery.registry.putEndpoints(web, [endpoint(two.port)])
    await until("the good one", async () => (await envoy.call(cluster("web", httpPort))) === "two")
    discovery.registry.putEndpoints(web, [endpoint(one.port)])
    await acked(discovery)
  },
  "a service that goes": async (group, { envoy, discovery }) => {
    discovery.registry.remove("fresh.shop.svc.cluster.local")
    await until("no endpoints at once", async () => (await envoy.call(cluster("fresh", 8080))) === "503")
    const gone = async () => !(await envoy.admin("/clusters")).includes("outbound|8080||fresh")
    await until("the cluster to be gone after its grace", gone)
    group.case("nothing warms", await warm(envoy))
  },
  "the server restarts": async (group, world) => {
    const { envoy, discovery, two, httpPort } = world
    const modified = async () => (await envoy.stats("cluster_manager.cluster_modified"))["cluster_manager.cluster_modified"] ?? 0
    const before = await modified()
    const load = new Load(
      () => envoy.call(cluster("web", httpPort)),
      (answer) => answer === "one" || answer === "two",
    )
    const { port, registry } = discovery
    await discovery[Symbol.asyncDispose]()
    await pause(100)
    world.discovery = await new Discovery({ registry }).start(port)
    await until("the client to be back", () => world.discovery.hub.sessions.size > 0)
    await until("it to be in step", () => inStep(world.discovery))
    group.case("no cluster was modified", differs(String(await modified()), String(before)))
    registry.putEndpoints(web, [endpoint(two.port)])
    await until("a change to arrive", async () => (await envoy.call(cluster("web", httpPort))) === "two")
    const { sent, failures } = await load.stop()
    group.case("no request failed", failures.length === 0 ? undefined : `${failures.length} of ${sent}: ${failures[0]}`)
    group.note(`${sent} requests`)
  },
  "nothing was refused and nothing timed out": async (group, { envoy }) => {
    group.case("clusters, listeners, routes", await notZero(envoy, "(cds|lds|rds.*)\\.update_rejected"))
    group.case("timeouts", await notZero(envoy, "init_fetch_timeout|assignment_use_cached"))
    group.case("warming", await warm(envoy))
  },
}

function differs(found: string, expected: string): string | undefined {
  return found === expected ? undefined : `expected ${expected}, found ${found}`
}

async function notZero(envoy: EnvoyProcess, pattern: string): Promise<string | undefined> {
  const bad = Object.entries(await envoy.stats(pattern)).filter(([, value]) => value !== 0)
  return bad.length === 0 ? undefined : bad.map(([name, value]) => `${name} ${value}`).join(", ")
}

async function warm(envoy: EnvoyProcess): Promise<string | undefined> {
  return notZero(envoy, "warming_clusters|total_listeners_warming")
}

async function acked(discovery: Discovery): Promise<void> {
  await Promise.resolve()
  await until("the client to accept", () => inStep(discovery))
}

function inStep(discovery: Discovery): boolean {
  return [...discovery.hub.sessions].every((session) => {
    const { cluster: clusters, endpoint: endpoints } = session.watches
    return clusters.sent === clusters.acked && endpoints.sent === endpoints.acked && session.waiting === 0
  })
}

async function page(discovery: Discovery, path: string): Promise<string> {
  const { body } = await debugPages(discovery.hub)({ verb: "GET", path, query: {}, headers: {} })
  return body.type === "bytes" ? new TextDecoder().decode(body.bytes) : ""
}

async function holdsOther(envoy: EnvoyProcess, name: string, endpoints: readonly Endpoint[]): Promise<string | undefined> {
  const { cluster_statuses: statuses } = JSON.parse(await envoy.admin("/clusters?format=json")) as {
    cluster_statuses: readonly { name: string; host_statuses?: readonly { address: { socket_address: { port_value: number } } }[] }[]
  }
  const held = statuses.find((status) => status.name === name)?.host_statuses?.map(({ address }) => address.socket_address.port_value) ?? []
  return differs(
    held.toSorted().join(),
    endpoints
      .map(({ port }) => port)
      .toSorted()
      .join(),
  )
}

function said(host: string, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ""
    const socket = connect(port, host)
    socket.on("data", (chunk: Buffer) => {
      text += chunk.toString()
    })
    socket.on("end", () => resolve(text))
    socket.on("error", reject)
  })
}

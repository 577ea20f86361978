import { connect } from "node:net"
import { text } from "node:stream/consumers"
import { freePorts } from "../real/free-ports.ts"
import type { Group, Tally } from "../real/tally.ts"
import { eventually, rollOut, startUp, type UpCluster } from "../real/up-cluster.ts"
import { DiscoveryProcess } from "./discovery-process.ts"
import { EnvoyProcess } from "./envoy-process.ts"
import { GrpcClient } from "./grpc-client.ts"
import { Load } from "./load.ts"
import { ports } from "./pod-ports.ts"
import { createPods, hostname, key, killOne, living, scale } from "./pods.ts"
import { until } from "./until.ts"

export type GrpcProgram = readonly [program: string, args: readonly string[]]

/** Real clients, by what they are called: those that could be had. */
export interface Programs {
  readonly envoy?: string
  readonly grpc: Readonly<Record<string, GrpcProgram>>
}

const requests = 10_000
/**
 * Milliseconds in which every client is back at a server that restarted. grpc-js-xds 1.14.1 never sets its backoff of streams back to the beginning: after
 * each restart it stays away 1.6 times as long, up to 2 min and a fifth. A client that is away cannot know of pods that come and go meanwhile, so the next
 * step waits for it. Nothing in the server makes it come sooner.
 */
const back = 150_000
const protocols = ["sotw", "delta"] as const
const clusterOf = (port: number) => `outbound|${port}||${hostname}`

/** Processes of `up --exec` that come and go under real clients: of so many requests of each client, none may fail. */
export async function trafficSuite(tally: Tally, programs: Programs): Promise<void> {
  await using cluster = await startUp(["--exec"], "xds-traffic")
  await createPods(cluster.client)
  const [port = 0] = await freePorts(1)
  await using discovery = await new DiscoveryProcess(cluster.kubeconfig, port).start()
  await using clients = await Clients.start(programs, port)
  await tally.group("traffic: pods come and go, and the server restarts", (group) => underLoad(group, { cluster, discovery, clients }))
  for (const [name, envoy] of clients.envoys) await tally.group(`traffic: ${name} after it`, (group) => judgeEnvoy(group, envoy, cluster))
}

interface World {
  readonly cluster: UpCluster
  readonly discovery: DiscoveryProcess
  readonly clients: Clients
}

async function underLoad(group: Group, { cluster: { client }, discovery, clients }: World): Promise<void> {
  const loads = clients.loads()
  let longest = 0
  const steps: Readonly<Record<string, (time: number) => Promise<unknown>>> = {
    "rolled out": (time) => rollOut(client, key, time),
    "scaled to 1": () => scale(client, 1),
    "scaled to 3": () => scale(client, 3),
    "pods deleted": () => killOne(client),
    "the server restarted": async () => {
      await discovery[Symbol.asyncDispose]()
      await discovery.start()
      const started = performance.now()
      await eventually("every client to be back after the restart", async () => (await discovery.inStep()) >= clients.count, back)
      longest = Math.max(longest, performance.now() - started)
    },
  }
  const failed = () => Object.entries(loads).map(([name, { failures }]) => `${name} ${failures.length}`)
  let rounds = 0
  const began: Record<string, string> = {}
  while (rounds === 0 || Object.values(loads).some(({ sent }) => sent < requests)) {
    rounds++
    for (const [name, step] of Object.entries(steps)) {
      const before = failed().join()
      await step(rounds)
      if (failed().join() !== before) began[name] ??= failed().join(", ")
    }
  }
  for (const [name, load] of Object.entries(loads)) {
    const { sent, failures, answers } = await load.stop()
    const step = Object.entries(began).map(([what, counts]) => `${what}: ${counts}`)
    group.case(
      `${name}: none failed`,
      failures.length === 0 ? undefined : [`${failures.length} of ${sent}`, ...step, ...failures].slice(0, 20).join("\n"),
    )
    group.case(`${name}: pods of each generation answered`, answers.size > rounds * 3 ? undefined : `only ${answers.size} pods`)
    group.note(`${name}: ${sent} requests, ${failures.length} failed, ${answers.size} pods answered`)
  }
  group.note(`${rounds} rounds of: ${Object.keys(steps).join(", ")}; all clients back within ${(longest / 1_000).toFixed(1)} s`)
}

async function judgeEnvoy(group: Group, envoy: EnvoyProcess, { client }: UpCluster): Promise<void> {
  const expected = async () => (await living(client)).map(({ address }) => address).toSorted()
  await until(
    "what Envoy holds to be what runs",
    async () => (await envoy.hosts(clusterOf(ports.http))).join() === (await expected()).join(),
    10_000,
  )
  for (const port of Object.values(ports)) {
    const held = await envoy.hosts(clusterOf(port))
    const running = await expected()
    group.case(
      `port ${port}: the pods that run`,
      held.join() === running.join() ? undefined : `expected ${running.join()}, found ${held.join()}`,
    )
  }
  for (const pattern of ["update_rejected", "warming_clusters|total_listeners_warming", "init_fetch_timeout|assignment_use_cached"]) {
    const bad = Object.entries(await envoy.stats(pattern)).filter(([, value]) => value !== 0)
    group.case(pattern, bad.length === 0 ? undefined : bad.map(([name, value]) => `${name} ${value}`).join())
  }
}

class Clients implements AsyncDisposable {
  readonly envoys: ReadonlyMap<string, EnvoyProcess>
  readonly #grpc: ReadonlyMap<string, GrpcClient>
  readonly #running: AsyncDisposableStack

  private constructor(envoys: ReadonlyMap<string, EnvoyProcess>, grpc: ReadonlyMap<string, GrpcClient>, running: AsyncDisposableStack) {
    this.envoys = envoys
    this.#grpc = grpc
    this.#running = running
  }

  static async start({ envoy: program, grpc }: Programs, xdsPort: number): Promise<Clients> {
    await using starting = new AsyncDisposableStack()
    const envoys = new Map<string, EnvoyProcess>()
    if (program !== undefined)
      for (const protocol of protocols) {
        const envoy = starting.use(await EnvoyProcess.start({ program, protocol, xdsPort, tcpCluster: clusterOf(ports.tcp) }))
        envoys.set(`envoy ${protocol}`, envoy)
        await envoy.live(10_000)
        await until("Envoy to know the pods", async () => (await envoy.hosts(clusterOf(ports.tcp))).length === 3, 10_000)
      }
    const clients = Object.entries(grpc).map(
      ([name, [command, args]]) => [name, starting.use(new GrpcClient(command, args, xdsPort))] as const,
    )
    return new Clients(envoys, new Map(clients), starting.move())
  }

  get count(): number {
    return this.envoys.size + this.#grpc.size
  }

  /** Every client at work. */
  loads(): Readonly<Record<string, Load>> {
    const isPod = (answer: string) => /^who-[a-z0-9]+-[a-z0-9]+$/.test(answer)
    const http = [...this.envoys].map(([name, envoy]) => [`HTTP by ${name}`, new Load(() => envoy.call(clusterOf(ports.http)), isPod)])
    const tcp = [...this.envoys].map(([name, envoy]) => [`TCP by ${name}`, new Load(() => said(envoy.tcpPort), isPod)])
    const target = `${hostname}:${ports.grpc}`
    const rpc = [...this.#grpc].map(([name, client]) => {
      const tenCalls = async () => Object.entries(await client.calls(target, 10)).flatMap(([who, times]) => Array<string>(times).fill(who))
      return [`gRPC by ${name}`, new Load(tenCalls, isPod, 1)]
    })
    return Object.fromEntries([...http, ...tcp, ...rpc]) as Record<string, Load>
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#running.disposeAsync()
  }
}

/** What a connection says until it ends. */
async function said(port: number): Promise<string> {
  const socket = connect(port, "127.0.0.1")
  return text(socket)
}

// Both servers as processes of their own, measured from outside.
import { writeFileSync } from "node:fs"
import { Agent, request } from "node:http"
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { Child } from "../../tests/real/child.ts"
import { freePorts } from "../../tests/real/free-ports.ts"
import { binary } from "../../tools/components/index.ts"
import { cpuOf, memoryOf } from "../up/embedded.ts"
import type { BenchCluster } from "./cluster.ts"

export type SideName = "ours" | "theirs"

/** Settings of theirs beyond what makes it run alone; ours has none of them. */
export interface Tuning {
  /** Endpoints go out at once; otherwise after 100 ms of quiet, which is its default. */
  readonly debounceOff?: boolean
  /** Not only 25 new streams in a second, which is its default on two cores. */
  readonly manyStreams?: boolean
}

const patience = 60_000

/** One server that runs. */
export class Side implements AsyncDisposable {
  readonly name: SideName
  /** Of xDS, in plain. */
  readonly port: number
  /** Milliseconds from the start of the process until it said that it is ready. */
  readonly readyAfter: number
  /** Where it answers over HTTP. */
  readonly http: string
  readonly #child: Child

  private constructor(name: SideName, child: Child, facts: { port: number; http: string; readyAfter: number }) {
    this.name = name
    this.#child = child
    this.port = facts.port
    this.http = facts.http
    this.readyAfter = facts.readyAfter
    process.once("exit", this.#kill)
  }

  static async start(name: SideName, cluster: BenchCluster, tuning: Tuning = {}): Promise<Side> {
    const started = performance.now()
    const { child, port, http } = name === "ours" ? await startOurs(cluster) : await startTheirs(cluster, tuning)
    const side = new Side(name, child, { port, http, readyAfter: await untilReady(child, http, started) })
    return side
  }

  /** Megabytes in memory. */
  memory(): number {
    return memoryOf(this.#child.pid)
  }

  /** Milliseconds of CPU so far. */
  cpu(): number {
    return cpuOf(this.#child.pid)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#child.stop()
    process.removeListener("exit", this.#kill)
  }

  readonly #kill = () => this.#child.kill()
}

interface Started {
  readonly child: Child
  readonly port: number
  readonly http: string
}

async function startOurs(cluster: BenchCluster): Promise<Started> {
  const served = Promise.withResolvers<{ port: number; http: string }>()
  const onLine = (line: string) => {
    const found = /^xDS is served at \S+:(\d+), debug pages at (http:\S+)\/debug$/.exec(line)
    if (found !== null) served.resolve({ port: Number(found[1]), http: found[2]! })
  }
  const args = [...profiling(), join(cluster.bundle, "start.js"), "discovery", `--kubeconfig=${cluster.kubeconfig()}`, "--port=0"]
  const child = new Child({ name: "pilothouse discovery", program: process.execPath, args, onLine })
  const ended = child.ended.then(() => Promise.reject(new Error(`pilothouse discovery ended early:\n${child.output}`)))
  ended.catch(() => {})
  return { child, ...(await Promise.race([served.promise, ended])) }
}

/** To find what is slow: BENCH_PROFILE=folder keeps a profile of each process of ours. */
function profiling(): readonly string[] {
  const folder = process.env.BENCH_PROFILE
  return folder === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${folder}`]
}

async function startTheirs(cluster: BenchCluster, tuning: Tuning): Promise<Started> {
  const program = binary("istiod", "pilot-discovery")
  if (program === undefined) throw new Error("istiod is not cached: npm run components -- istiod builds it")
  const [grpc = 0, http = 0, monitoring = 0, control = 0] = await freePorts(4)
  const mesh = join(cluster.directory, "mesh.yaml")
  writeFileSync(mesh, "trustDomain: cluster.local\n")
  const address = (port: number) => `127.0.0.1:${port}`
  const flags = [
    `--kubeconfig=${cluster.kubeconfig()}`,
    `--meshConfig=${mesh}`,
    `--networksConfig=${join(cluster.directory, "no-networks")}`,
    `--grpcAddr=${address(grpc)}`,
    `--httpAddr=${address(http)}`,
    `--monitoringAddr=${address(monitoring)}`,
    "--httpsAddr=",
    "--secureGRPCAddr=",
    `--ctrlz_port=${control}`,
  ]
  const environment = Object.entries(settings(cluster, tuning)).map(([name, value]) => `${name}=${value}`)
  const child = new Child({ name: "istiod", program: "env", args: ["-i", ...environment, program, "discovery", ...flags] })
  return { child, port: grpc, http: `http://${address(http)}` }
}

/** Everything off that only a whole mesh needs: certificates, webhooks, elections, the Gateway API. */
function settings({ directory }: BenchCluster, { debounceOff = false, manyStreams = false }: Tuning): Readonly<Record<string, string>> {
  return {
    HOME: directory,
    POD_NAMESPACE: "istio-system",
    POD_NAME: "istiod-bench",
    CLUSTER_ID: "Kubernetes",
    INJECT_ENABLED: "false",
    INJECTION_WEBHOOK_CONFIG_NAME: "",
    VALIDATION_WEBHOOK_CONFIG_NAME: "",
    ENABLE_CA_SERVER: "false",
    PILOT_CERT_PROVIDER: "none",
    XDS_AUTH: "false",
    PILOT_ENABLE_GATEWAY_API: "false",
    PILOT_ENABLE_WORKLOAD_ENTRY_AUTOREGISTRATION: "false",
    PILOT_ENABLE_IP_AUTOALLOCATE: "false",
    ENABLE_LEADER_ELECTION: "false",
    ...(debounceOff && { PILOT_ENABLE_EDS_DEBOUNCE: "false" }),
    ...(manyStreams && { PILOT_MAX_REQUESTS_PER_SECOND: "10000" }),
  }
}

/** Asked over and over on one connection: a new one for each question would be work for the server that is being timed. */
async function untilReady(child: Child, http: string, started: number): Promise<number> {
  using asking = new AskingAgent({ keepAlive: true, maxSockets: 1 })
  while (performance.now() < started + patience) {
    if (!child.running) throw new Error(`${child.name} ended while it started:\n${child.output}`)
    if ((await statusOf(`${http}/ready`, asking)) === 200) return performance.now() - started
    await delay(5)
  }
  throw new Error(`${child.name} was not ready after ${patience / 1000} s:\n${child.output}`)
}

class AskingAgent extends Agent implements Disposable {
  [Symbol.dispose](): void {
    this.destroy()
  }
}

function statusOf(url: string, agent: Agent): Promise<number> {
  return new Promise((resolve) => {
    const asked = request(url, { agent }, (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
    // Nothing listens yet.
    asked.once("error", () => resolve(0))
    asked.end()
  })
}

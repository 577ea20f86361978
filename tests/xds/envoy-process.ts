import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { Agent, request } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type BootstrapOptions, envoyBootstrap } from "@pilothouse/discovery"
import { Child } from "../real/child.ts"
import { freePorts } from "../real/free-ports.ts"
import { until } from "./until.ts"

export interface EnvoyOptions {
  readonly program: string
  readonly protocol: "sotw" | "delta"
  readonly xdsPort: number
  /** Which cluster plain TCP goes to. */
  readonly tcpCluster?: string
  /** What it says that it can do. */
  readonly features?: readonly string[]
  /** How it reaches a server with TLS; plain without it. */
  readonly tls?: Pick<BootstrapOptions, "authorityFile" | "certificateFile" | "keyFile" | "tokenFile">
}

/** A real Envoy with our bootstrap, and one listener of its own through which any cluster can be called by name. */
export class EnvoyProcess implements AsyncDisposable {
  readonly #child: Child
  readonly #folder: string
  readonly #adminPort: number
  readonly #testPort: number
  /** Of plain TCP to the cluster that was named. */
  readonly tcpPort: number
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 8 })

  private constructor(child: Child, folder: string, ports: Ports) {
    this.#child = child
    this.#folder = folder
    this.#adminPort = ports.admin
    this.#testPort = ports.test
    this.tcpPort = ports.tcp
  }

  static async start({ program, protocol, xdsPort, tcpCluster, features = [], tls }: EnvoyOptions): Promise<EnvoyProcess> {
    const [admin = 0, test = 0, tcp = 0] = await freePorts(3)
    const ports: Ports = { admin, test, tcp }
    const folder = mkdtempSync(join(tmpdir(), "pilothouse-envoy-"))
    const nodeId = "sidecar~127.0.0.1~t1.shop~shop.svc.cluster.local"
    const common = { host: "127.0.0.1", port: xdsPort, nodeId, namespace: "shop", region: "r1", zone: "z1", ...tls }
    const bootstrap = withTestAids(envoyBootstrap({ ...common, protocol, adminPort: admin, ownPorts: true }), ports, tcpCluster)
    Object.assign(bootstrap.node, { client_features: features })
    writeFileSync(join(folder, "bootstrap.json"), JSON.stringify(bootstrap))
    const args = ["-c", join(folder, "bootstrap.json"), "--disable-hot-restart", "--concurrency", "1", "-l", "warning"]
    const child = new Child({ name: "envoy", program, args: [...args, "--drain-time-s", "1", "--log-path", join(folder, "log")] })
    return new EnvoyProcess(child, folder, ports)
  }

  async live(limit = 3_000): Promise<void> {
    try {
      await until("Envoy to be LIVE", async () => (await this.admin("/ready").catch(() => "")).startsWith("LIVE"), limit)
    } catch (cause) {
      throw new Error(`Envoy is not LIVE; it said:\n${this.log()}`, { cause })
    }
  }

  log(): string {
    return `${this.#child.output}\n${readFileSync(join(this.#folder, "log"), "utf8").split("\n").slice(-40).join("\n")}`
  }

  /** A request to a cluster by its name; the body, or the status where it is not 200. */
  call(cluster: string): Promise<string> {
    return this.#request(this.#testPort, "/", { "x-cluster": cluster })
  }

  /** A request to a listener that the server made. */
  through(port: number, host: string): Promise<string> {
    return this.#request(port, "/", { host })
  }

  admin(path: string): Promise<string> {
    return this.#request(this.#adminPort, path, {})
  }

  /** The addresses that a cluster has, in order. */
  async hosts(cluster: string): Promise<readonly string[]> {
    const { cluster_statuses: statuses } = JSON.parse(await this.admin("/clusters?format=json")) as ClustersPage
    const hosts = statuses.find(({ name }) => name === cluster)?.host_statuses ?? []
    return hosts.map(({ address }) => address.socket_address.address).toSorted()
  }

  /** Statistics whose name matches, by name. */
  async stats(pattern: string): Promise<Readonly<Record<string, number>>> {
    const { stats } = JSON.parse(await this.admin(`/stats?format=json&filter=${encodeURIComponent(pattern)}`)) as {
      stats: readonly { readonly name?: string; readonly value?: number }[]
    }
    return Object.fromEntries(stats.filter(({ name }) => name !== undefined).map(({ name, value }) => [name!, value ?? 0]))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#agent.destroy()
    await this.#child.stop()
    rmSync(this.#folder, { recursive: true, force: true })
  }

  #request(port: number, path: string, headers: Readonly<Record<string, string>>): Promise<string> {
    return new Promise((resolve, reject) => {
      const sent = request({ host: "127.0.0.1", port, path, headers, agent: this.#agent }, (response) => {
        let body = ""
        response.on("data", (chunk: Buffer) => {
          body += chunk.toString()
        })
        response.on("end", () => resolve(response.statusCode === 200 ? body : `${response.statusCode}`))
        response.on("error", reject)
      })
      sent.on("error", reject)
      sent.end()
    })
  }
}

interface Ports {
  readonly admin: number
  readonly test: number
  readonly tcp: number
}

interface ClustersPage {
  readonly cluster_statuses: readonly {
    readonly name: string
    readonly host_statuses?: readonly { readonly address: { readonly socket_address: { readonly address: string } } }[]
  }[]
}

/** Quick reconnects, and the listeners of the test: by header, and plain TCP to one cluster. */
function withTestAids(bootstrap: object, ports: Ports, tcpCluster: string | undefined): { readonly node: object } {
  const copy = structuredClone(bootstrap) as {
    node: object
    dynamic_resources: { ads_config: { grpc_services: { envoy_grpc?: object }[] } }
    static_resources: object
  }
  const [server] = copy.dynamic_resources.ads_config.grpc_services
  if (server?.envoy_grpc !== undefined)
    Object.assign(server.envoy_grpc, { retry_policy: { retry_back_off: { base_interval: "0.05s", max_interval: "0.2s" } } })
  const type = (name: string) => ({ "@type": `type.googleapis.com/envoy.extensions.filters.${name}` })
  const routes = [{ match: { prefix: "/" }, route: { cluster_header: "x-cluster" } }]
  const manager = {
    ...type("network.http_connection_manager.v3.HttpConnectionManager"),
    stat_prefix: "test_in",
    route_config: { name: "by-header", validate_clusters: false, virtual_hosts: [{ name: "all", domains: ["*"], routes }] },
    http_filters: [{ name: "envoy.filters.http.router", typed_config: type("http.router.v3.Router") }],
  }
  const listener = (name: string, port: number, filter: object) => ({
    name,
    address: { socket_address: { address: "127.0.0.1", port_value: port } },
    filter_chains: [{ filters: [filter] }],
  })
  const http = { name: "envoy.filters.network.http_connection_manager", typed_config: manager }
  const tcp = { ...type("network.tcp_proxy.v3.TcpProxy"), stat_prefix: "test_tcp", cluster: tcpCluster }
  const listeners = [listener("test-in", ports.test, http)]
  if (tcpCluster !== undefined)
    listeners.push(listener("test-tcp", ports.tcp, { name: "envoy.filters.network.tcp_proxy", typed_config: tcp }))
  Object.assign(copy.static_resources, { listeners })
  return copy
}

import type { AuthorizationMode, Extension } from "@pilothouse/apiserver"
import { systemDialer } from "@pilothouse/cloud"
import {
  endLeftovers,
  type KubeletApiOptions,
  kubeletApi,
  metricsApis,
  Processes,
  type ProcessesOptions,
  type SchedulerProfile,
  scheduler,
  simulatedKubelets,
  simulatedPodDialer,
  systemPowers,
  systemProbe,
  systemSpawner,
  systemStreams,
} from "@pilothouse/nodes"
import { type Client, createManager, type GivenSettings } from "@pilothouse/runtime"
import { type Clock, type Files, type Log, memoryMetrics, type Random } from "@pilothouse/seams"
import { systemClock } from "@pilothouse/seams/system"
import { kubeletDialer } from "../apiserver/kubelet-dialer.ts"
import type { ServeDiscoveryOptions, ServedDiscovery } from "../discovery/serve.ts"
import type { Kubeconfig } from "../kubeconfig/kubeconfig.ts"
import type { EmbeddedCloud, EmbeddedCloudOptions } from "../openstack/embedded-cloud.ts"
import { stopGrace } from "../process/process.ts"
import { TurnGate } from "../process/turn-gate.ts"
import { LastReconcile, LastRequest, watchEventLoop } from "../process/watchdog.ts"
import { Accounts } from "./accounts.ts"
import { type EmbeddedApi, startEmbeddedApi } from "./api-server.ts"
import { kubernetesControllers, startControllers } from "./controllers.ts"
import { embeddedBalancers } from "./load-balancers.ts"
import { podNetwork } from "./pod-network.ts"

export interface EmbeddedClusterOptions {
  /** The name of this machine, for the Lease of the API server. */
  readonly hostname?: string
  readonly dataDirectory: string
  /** Whether this process still owns the data directory. */
  readonly isOwner?: () => boolean
  /** Keeps the objects in memory only. */
  readonly ephemeral?: boolean
  /** Left out: 6443, or the next free one. */
  readonly port?: number
  /** Of the API server; 127.0.0.1 by default. */
  readonly bindAddress?: string
  /** Those of this machine that others reach it by. */
  readonly addresses?: readonly string[]
  /** Authorizers in their order; by default every authenticated user may do everything. */
  readonly authorizationModes?: readonly AuthorizationMode[]
  /** Group versions that are off by default and served here, with their controllers. */
  readonly enabledVersions?: readonly string[]
  readonly nodes: number
  /** As --controllers of `run`; all by default. Scheduler and kubelets run in any case. */
  readonly controllers?: readonly string[]
  /** Flags of controllers, by name. */
  readonly controllerSettings?: GivenSettings
  /** Of the scheduler, for pods that name them; the default one alone where they are left out. */
  readonly schedulerProfiles?: readonly SchedulerProfile[]
  /** Whether pods whose image is `process` are real processes on this host. */
  readonly exec?: boolean
  /** Whether xDS is served; by default it is. */
  readonly discovery?: boolean
  /** Of xDS, which must be free; 0 for any. By default 15010, or the next free one. */
  readonly xdsPort?: number
  /** Whether pods are Neutron ports and Services load balancers, of an OpenStack in this process. */
  readonly openstack?: boolean
  /**
   * Called when the administrator's certificate was renewed, with all kubeconfigs since the start and the one to use from now on. Called again with the
   * same an hour later where it rejects.
   */
  readonly kubeconfigRenewed?: (issued: readonly Kubeconfig[], after: Kubeconfig) => Promise<void>
  /** Called with a description of each step when it begins. */
  readonly progress?: (step: string) => void
  readonly clock: Clock
  readonly random: Random
  readonly files: Files
  readonly log: Log
}

/** Disposing stops all of it. */
export interface EmbeddedCluster extends AsyncDisposable, Pick<EmbeddedApi, "port" | "url" | "kubeconfig"> {
  readonly client: Client
  /** How many controllers of the controller manager run. */
  readonly controllers: number
  /** Names of all that the manager runs, those of the cloud, the scheduler and the kubelets too. */
  readonly controllerNames: readonly string[]
  /** Absent where it is not served. */
  readonly discovery?: EmbeddedDiscovery
  readonly openstack?: Pick<EmbeddedCloud, "authUrl" | "kuryrConf" | "cloudsYaml">
}

/** Where xDS is served. */
export interface EmbeddedDiscovery {
  /** "127.0.0.1:15010" */
  readonly address: string
  /** Of its debug pages: "http://127.0.0.1:15014". */
  readonly debugAddress: string
  /** Whether the usual port was taken. */
  readonly isMoved: boolean
}

/** The API server's own. */
const serviceAddresses = "10.96.0.0/12"
/** Istio's for xDS without TLS. */
export const discoveryPort = 15_010
/** Other systems have all of 127.0.0.0/8. */
export const oneAddress = process.platform === "darwin"

/** API server, controllers, scheduler and nodes in this process. Whatever fails on the way, nothing is left running. */
export async function startEmbeddedCluster(options: EmbeddedClusterOptions): Promise<EmbeddedCluster> {
  const { clock, random, log, progress = () => {} } = options
  await using starting = new AsyncDisposableStack()
  const turns = new TurnGate(clock)
  // The API server is made with those who answer for it, and they speak to it: no request comes before the controllers are made.
  const accounts = new Accounts({ clock, turns, server: () => api.server, isEnforced: options.authorizationModes !== undefined })
  const client = accounts.kubelet
  const debug: Extension = { prefix: "/debug", transport: (request) => manager.endpoints(request) }
  const processes = options.exec ? await ownProcesses(options.dataDirectory, { clock, client }) : undefined
  const measured = processes && ((...which: Parameters<Processes["usage"]>) => processes.usage(...which))
  const extensions = [debug, ...metricsApis({ clock, client: accounts.metrics, measured })]
  const kubelet = kubeletOf(processes, { clock, client, remote: (node) => kubeletDialer(api.kubeletClient)(node) })
  const [metrics, lastRequest] = [memoryMetrics(), new LastRequest()]
  const { dial: dialPod } = starting.use(podNetwork({ clock, client, processes }))
  const handed = { lastRequest, extensions, kubelet, dialPod, allowLoopbackEndpoints: options.exec, metricsText: () => metrics.text() }
  progress("the API server, with what it has kept")
  const api = starting.use(await startEmbeddedApi(options, handed))
  // Their last writes still reach the server.
  if (processes !== undefined) starting.use(processes)
  const kubernetes = kubernetesControllers(options, api.certificates, metrics)
  if (options.openstack) progress("OpenStack")
  const cloud = options.openstack ? starting.use(await startCloud({ clock, random, log, metrics, transport: accounts.kuryr() })) : undefined
  // A load balancer has one owner.
  const balancers =
    cloud ?? starting.use(embeddedBalancers({ clock, log, metrics, client, exec: options.exec, select: options.controllers }))
  const kubelets = simulatedKubelets({ events: true, processes, network: cloud?.network })
  const controllers = [...kubernetes, ...balancers.controllers, scheduler({ clock, profiles: options.schedulerProfiles }), kubelets]
  const lastReconcile = new LastReconcile()
  starting.use(turns)
  const manager = createManager({
    controllers,
    onReconcile: lastReconcile.note,
    whenFree: turns.whenFree,
    checks: cloud?.checks,
    transport: accounts.manager(),
    transportFor: (name) => (cloud?.controllers.some((one) => one.name === name) ? accounts.kuryr() : accounts.controller(name)),
    metrics,
    clock,
    random,
    log,
    grace: stopGrace,
  })
  progress(`controllers, scheduler and ${options.nodes} nodes`)
  starting.use(await startControllers(manager, accounts.admin(), { ...options, oneAddress, kubernetes }))
  const discovery =
    options.discovery === false
      ? undefined
      : starting.use(await startDiscovery(options, accounts.discovery(), { clock, random, log, metrics }))
  // The last: what a start takes is not a stall.
  // The event loop is a real one, also where the time of the cluster is virtual.
  starting.use(watchEventLoop({ clock: systemClock, log, metrics, lastRequest, lastReconcile }))
  const running = starting.move()
  const { port, url, kubeconfig } = api
  return {
    port,
    url,
    kubeconfig,
    client: accounts.admin(),
    controllers: kubernetes.length,
    controllerNames: controllers.map(({ name }) => name),
    discovery: discovery && embeddedDiscovery(discovery, options.xdsPort),
    openstack: cloud,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

/** Loaded by those who asked for it only. */
async function startCloud(seams: Omit<EmbeddedCloudOptions, "serviceRange">): Promise<EmbeddedCloud> {
  const { startEmbeddedCloud } = await import("../openstack/embedded-cloud.ts")
  return startEmbeddedCloud({ ...seams, serviceRange: serviceAddresses })
}

/** gRPC and its messages are loaded when all else runs: nothing waits for them. */
async function startDiscovery(
  { xdsPort, progress = () => {} }: Pick<EmbeddedClusterOptions, "xdsPort" | "progress">,
  client: Client,
  seams: Pick<ServeDiscoveryOptions, "clock" | "random" | "log" | "metrics">,
): Promise<ServedDiscovery> {
  progress("xDS")
  const { serveDiscovery } = await import("../discovery/serve.ts")
  const sources = [{ cluster: "Kubernetes", client }]
  return serveDiscovery({ ...seams, sources, host: "127.0.0.1", port: xdsPort ?? discoveryPort, exactPort: xdsPort !== undefined })
}

function embeddedDiscovery({ address, debugAddress }: ServedDiscovery, xdsPort: number | undefined): EmbeddedDiscovery {
  return { address, debugAddress, isMoved: xdsPort === undefined && !address.endsWith(`:${discoveryPort}`) }
}

/** Kubelets in this process: of simulated pods, and of those that are processes. */
function kubeletOf(
  processes: Processes | undefined,
  seams: Pick<KubeletApiOptions, "client" | "clock" | "remote">,
): ReturnType<typeof kubeletApi> {
  const dialer = simulatedPodDialer({ client: seams.client, ...(processes && { real: systemDialer, processes }) })
  return kubeletApi({ ...seams, processes, dialer, ...(processes && { printed: (...which) => processes.printed(...which) }) })
}

/** What a program that was killed has left behind in this directory's name goes first. */
async function ownProcesses(owner: string, seams: Pick<ProcessesOptions, "client" | "clock">): Promise<Processes> {
  await endLeftovers(owner)
  return new Processes({
    ...seams,
    spawn: systemSpawner(),
    stream: systemStreams(),
    probe: systemProbe,
    powers: systemPowers,
    oneAddress,
    owner,
  })
}

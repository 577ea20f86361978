import {
  type Clock,
  type Duration,
  type Files,
  type Log,
  type LogLevel,
  memoryMetrics,
  messageOf,
  PilothouseError,
  type Random,
  type Transport,
} from "@pilothouse/seams"
import { retrying } from "./client/middleware/retry.ts"
import { Trace } from "./controller/trace.ts"
import type { Credentials } from "./http/connection.ts"
import type { Peer } from "./http/explain-failure.ts"
import type { HttpTransport } from "./http/http-transport.ts"
import type { LeaderElectionOptions } from "./manager/leader-election-options.ts"
import { createManager, type Manager, type ManagerOptions } from "./manager/manager.ts"

/**
 * The one file of the runtime that uses the machine directly: its clock, its files, its environment, its signals.
 * Everything is loaded and read on demand, inside run(): creating a manager has no effect.
 */

/** Options that select the cluster. */
export interface ClusterOptions {
  /** The path of a kubeconfig; without it those that kubectl reads, or the pod's service account. */
  readonly kubeconfig?: string
  /** Instead of the kubeconfig's current context. */
  readonly context?: string
}

/** Options of the default transport. */
export interface DefaultTransportOptions extends ClusterOptions {
  readonly clock?: Clock
  /** Warns about slow credentials. */
  readonly log?: Log
  /** Time limit for opening a connection. */
  readonly connectTimeout?: Duration
  /** Time limit for a response, or the start of a stream. */
  readonly answerTimeout?: Duration
  /** Credentials instead of those of the kubeconfig. */
  readonly credentials?: Credentials
  /** Refuses a kubeconfig that names programs, files or another machine: for one that the user did not name. */
  readonly inlineOnly?: boolean
  /** Where the kubeconfig and its files are read; the machine's by default. */
  readonly files?: Files
}

/** A transport to an API server. */
export interface DefaultTransport extends HttpTransport {
  readonly server: string
  /** Of the context, or of the pod; "default" where neither has one. */
  readonly namespace: string
  /** PEM of the authorities that verify the server; undefined for those of the system. */
  authorities(): string | undefined
  /** The credentials of requests. */
  readonly credentials: Credentials
}

/** Creates a transport to the API server that kubectl would use. Reads the kubeconfig now; connects with the first request. */
export async function defaultTransport({
  kubeconfig,
  context,
  credentials: given,
  inlineOnly,
  files,
  ...options
}: DefaultTransportOptions = {}): Promise<DefaultTransport> {
  const { systemClock, systemFiles } = await import("@pilothouse/seams/system")
  const [{ connect }, { httpTransport }, { runPlugin }] = await Promise.all([
    import("./kubeconfig/connect.ts"),
    import("./http/http-transport.ts"),
    import("./kubeconfig/run-plugin.ts"),
  ])
  const clock = options.clock ?? systemClock
  const machine = { files: files ?? systemFiles, environment: process.env, run: runPlugin, terminal: process.stdin.isTTY === true }
  const found = await connect({ ...machine, clock, log: options.log, kubeconfig, context, inlineOnly })
  const connection = given === undefined ? found : { ...found, credentials: given, headers: undefined }
  const { server, namespace, credentials } = connection
  return { ...httpTransport(connection, { ...options, clock }), server, namespace, credentials, authorities: () => found.authorities() }
}

/** Options of transportTo. */
export interface TransportToOptions extends Pick<DefaultTransportOptions, "connectTimeout" | "answerTimeout"> {
  /** "https://10.0.0.1:10257" */
  readonly server: string
  readonly clock: Clock
  /** PEM of the authorities that verify it; the system's by default. */
  readonly authorities?: string
  /** Accepts any certificate. */
  readonly insecure?: boolean
  /** SHA-256 fingerprints in lower-case hexadecimal, one of which its certificate must have; nothing else about it is checked. */
  readonly pins?: readonly string[]
  /** The whole value of the Authorization header. Never sent without TLS. */
  readonly authorization?: string
  /** Maximum size of a whole response in bytes; 512 MiB by default. */
  readonly maxAnswerSize?: number
  /** Name of the server in errors, and advice. */
  readonly peer?: Peer
}

/** Creates a transport to a server that is not in a kubeconfig, such as the endpoints of another manager. */
export async function transportTo({
  server,
  authorities,
  insecure,
  pins,
  authorization,
  ...options
}: TransportToOptions): Promise<HttpTransport> {
  const { httpTransport } = await import("./http/http-transport.ts")
  const presented = new URL(server).protocol === "https:" ? { authorization } : {}
  const credentials: Credentials = { present: async () => presented, refused: async () => false }
  return httpTransport({ server, insecure, pins, authorities: () => authorities, credentials }, options)
}

/** As the manager's; the default identity is random. */
export type DefaultLeaderElectionOptions = Omit<LeaderElectionOptions, "identity"> & Partial<Pick<LeaderElectionOptions, "identity">>

/** Options of `manager()`: the controllers, and what differs from the defaults. */
export interface DefaultManagerOptions
  extends Omit<ManagerOptions, "transport" | "clock" | "random" | "host" | "leaderElection">,
    ClusterOptions {
  /** One of several replicas works: the holder of this Lease. The default identity is the host name and a UUID. */
  readonly leaderElection?: DefaultLeaderElectionOptions
  /** Instead of the one of the kubeconfig. */
  readonly transport?: Transport
  readonly clock?: Clock
  readonly random?: Random
  readonly log?: Log
  /** Format of the default log: "text" (default) or "json". */
  readonly logFormat?: "text" | "json"
  /** Level of the default log; "info" by default. */
  readonly logLevel?: LogLevel
  /** Where /healthz, /livez, /readyz, /metrics, /configz and /debug/trace are served; none by default. 0 is any free port. */
  readonly port?: number
  /** 127.0.0.1 by default; kubelet probes from outside the pod need 0.0.0.0. */
  readonly host?: string
  /** Names that clients may address it by (their Host header), beside IP addresses and localhost. */
  readonly hostNames?: readonly string[]
  /** Ends run(). Without it, and without one given to run(), Ctrl-C and SIGTERM do. */
  readonly signal?: AbortSignal
}

/** A manager program. */
export interface DefaultManager {
  /** The last reconciles: cause, reads, decision with reasons, and results. */
  readonly trace: Trace
  /** The endpoints of `port`, without a port; 503 before run() and after it. */
  readonly endpoints: Transport
  /** Ends when the signal has aborted and everything has stopped. */
  run(signal?: AbortSignal): Promise<void>
  /** Calls run() as the last line of a program: an error of Pilothouse is printed to standard error without a stack, and the exit code is 1. */
  main(signal?: AbortSignal): Promise<void>
}

/** Creates a manager program: `await manager({ controllers: [mine] }).main()`. */
export function manager({ kubeconfig, context, transport, signal: given, ...options }: DefaultManagerOptions): DefaultManager {
  const trace = options.trace ?? new Trace()
  let running: Manager | undefined
  const program: DefaultManager = {
    trace,
    endpoints: (request) => (running?.endpoints ?? notRunning)(request),
    async run(signal = given) {
      using stop = signal === undefined ? processSignals() : { signal, [Symbol.dispose]() {} }
      const { systemClock, systemRandom } = await import("@pilothouse/seams/system")
      const { clock = systemClock, random = systemRandom(), log = await defaultLog(options), metrics = memoryMetrics() } = options
      const server = transport === undefined ? await defaultTransport({ kubeconfig, context, clock, log }) : undefined
      await using _open = server
      const sent = transport ?? retrying(server!.transport, { clock, random })
      const host = server && new URL(server.server).host
      const leaderElection = withIdentity(options, random)
      const inner = createManager({ ...options, leaderElection, transport: sent, host, clock, random, log, metrics, trace })
      await using _served = await serve(inner, options, log)
      const names = options.controllers.map(({ name }) => name).join(", ")
      log.info("starting", { controllers: names || "none: there is nothing to do", ...(server && { server: server.server }) })
      running = inner
      try {
        await inner.run(stop.signal)
      } finally {
        running = undefined
      }
    },
    main: (signal) => program.run(signal).catch(exitWithMessage),
  }
  return program
}

/** Other errors are mistakes of the program: the stack says where. */
function exitWithMessage(error: unknown): void {
  if (!(error instanceof PilothouseError)) throw error
  process.stderr.write(`${messageOf(error)}\n`)
  process.exitCode = 1
}

const notRunning: Transport = async () => {
  const contentType = "text/plain; charset=utf-8"
  const bytes = new TextEncoder().encode("the manager does not run\n")
  return { status: 503, headers: { "content-type": contentType }, body: { type: "bytes", bytes, contentType } }
}

/** As kube-controller-manager's identity: pods of one Deployment run the same program with the same options. */
function withIdentity({ leaderElection }: DefaultManagerOptions, random: Random): LeaderElectionOptions | undefined {
  if (leaderElection === undefined) return undefined
  const { hostname } = process.getBuiltinModule("node:os")
  return { ...leaderElection, identity: leaderElection.identity ?? `${hostname()}_${random.uuid()}` }
}

async function defaultLog({ logFormat = "text", logLevel }: DefaultManagerOptions): Promise<Log> {
  const { jsonLog, textLog } = await import("@pilothouse/seams/system")
  return logFormat === "json" ? jsonLog(logLevel) : textLog(logLevel)
}

async function serve(
  { endpoints }: Manager,
  { port, host, hostNames }: DefaultManagerOptions,
  log: Log,
): Promise<AsyncDisposable | undefined> {
  if (port === undefined) return undefined
  const { serveEndpoints } = await import("./manager/serve-endpoints.ts")
  const listening = await serveEndpoints(endpoints, { port, host, hostNames })
  log.info("health, metrics and trace are served", { address: listening.address })
  return listening
}

/** Aborts at SIGINT or SIGTERM. A second Ctrl-C ends the process at once. */
function processSignals(): Disposable & { readonly signal: AbortSignal } {
  const controller = new AbortController()
  const names = ["SIGINT", "SIGTERM"] as const
  const stop = () => {
    controller.abort()
    for (const name of names) process.removeListener(name, stop)
  }
  for (const name of names) process.once(name, stop)
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      for (const name of names) process.removeListener(name, stop)
    },
  }
}

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
 * The one file of the runtime that reaches for the machine: its clock, its files, its environment, its signals.
 * Everything here is loaded and looked at when it is needed, inside run(): making a manager does nothing.
 */

/** Which cluster. */
export interface ClusterOptions {
  /** The path of a kubeconfig; without it those that kubectl reads, or the pod's service account. */
  readonly kubeconfig?: string
  /** Instead of the kubeconfig's current context. */
  readonly context?: string
}

/** Which server, as whom, and how long things may take. */
export interface DefaultTransportOptions extends ClusterOptions {
  readonly clock?: Clock
  /** Told of credentials that take long to come. */
  readonly log?: Log
  /** How long a connection may take to open. */
  readonly connectTimeout?: Duration
  /** How long an answer may take, or the beginning of a stream. */
  readonly answerTimeout?: Duration
  /** Who to be, instead of the user of the kubeconfig. */
  readonly credentials?: Credentials
  /** Refuses a kubeconfig that names programs, files or another machine: for one that nobody asked for by name. */
  readonly inlineOnly?: boolean
  /** Where the kubeconfig and what it names are read; the machine's unless told otherwise. */
  readonly files?: Files
}

/** An open way to an API server. */
export interface DefaultTransport extends HttpTransport {
  readonly server: string
  /** Of the context, or of the pod; "default" where neither says. */
  readonly namespace: string
  /** PEM of the authorities that the server is checked by; undefined where those of the system are. */
  authorities(): string | undefined
  /** Who asks. */
  readonly credentials: Credentials
}

/** The API server that kubectl would speak to. Reads the kubeconfig now; opens a connection with the first request. */
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

/** Which server, and how it is trusted. */
export interface TransportToOptions extends Pick<DefaultTransportOptions, "connectTimeout" | "answerTimeout"> {
  /** "https://10.0.0.1:10257" */
  readonly server: string
  readonly clock: Clock
  /** PEM of those that its certificate may be of; the system's unless told otherwise. */
  readonly authorities?: string
  /** True: any certificate will do. */
  readonly insecure?: boolean
  /** SHA-256 fingerprints in lower-case hexadecimal, one of which its certificate must have; nothing else about it is checked. */
  readonly pins?: readonly string[]
  /** The whole value of the Authorization header. Never sent without TLS. */
  readonly authorization?: string
  /** How long a whole answer may be, in bytes; no limit by default. */
  readonly maxAnswerSize?: number
  /** What it is called where it does not answer, and what to look at then. */
  readonly peer?: Peer
}

/** A server that is no API server and in no kubeconfig: the port of another manager, say. */
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

/** As the manager's; the identity is drawn by lot where none is given. */
export type DefaultLeaderElectionOptions = Omit<LeaderElectionOptions, "identity"> & Partial<Pick<LeaderElectionOptions, "identity">>

/** What `manager()` takes: the controllers, and whatever should be otherwise than usual. */
export interface DefaultManagerOptions
  extends Omit<ManagerOptions, "transport" | "clock" | "random" | "host" | "leaderElection">,
    ClusterOptions {
  /** Of several that run it, one works: whoever holds this Lease. Each is known by the name of its machine and a UUID unless told otherwise. */
  readonly leaderElection?: DefaultLeaderElectionOptions
  /** Instead of the one that the kubeconfig leads to. */
  readonly transport?: Transport
  readonly clock?: Clock
  readonly random?: Random
  readonly log?: Log
  /** How it logs where no log is given: "text" for people unless told otherwise, "json" for machines. */
  readonly logFormat?: "text" | "json"
  /** The least that is logged where no log is given; "info" unless told otherwise. */
  readonly logLevel?: LogLevel
  /** Where /healthz, /livez, /readyz, /metrics, /configz and /debug/trace are answered; nowhere unless told otherwise. 0 is any free port. */
  readonly port?: number
  /** 127.0.0.1 unless told otherwise; a kubelet that asks from outside the pod needs 0.0.0.0. */
  readonly host?: string
  /** Names that clients may address it by (their Host header), beside IP addresses and localhost. */
  readonly hostNames?: readonly string[]
  /** Ends run(). Without it, and without one given to run(), Ctrl-C and SIGTERM do. */
  readonly signal?: AbortSignal
}

/** A whole program, before and while it runs. */
export interface DefaultManager {
  /** The last reconciles: what woke each, what it read, what it decided and why, and what became of it. */
  readonly trace: Trace
  /** Answers what `port` answers, without a port; 503 before run() and after it. */
  readonly endpoints: Transport
  /** Ends when the signal does, and when everything has stopped. */
  run(signal?: AbortSignal): Promise<void>
  /** run(), as the last line of a program: a failure that says what to do is told on standard error, without a stack, and the exit code is 1. */
  main(signal?: AbortSignal): Promise<void>
}

/** A whole program: `await manager({ controllers: [mine] }).main()`. */
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

/** What is no error of ours is a slip of the program's own: its stack says where. */
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

/** As kube-controller-manager names itself: pods of one Deployment run the same program with the same options. */
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
  log.info("health, metrics and trace are answered", { address: listening.address })
  return listening
}

/** Aborts at Ctrl-C, or when the system asks the process to end. A second Ctrl-C ends the process at once. */
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

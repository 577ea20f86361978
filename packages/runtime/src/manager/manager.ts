import { apiVersionOf, type Descriptor } from "@pilothouse/api"
import type { CustomResourceDefinition } from "@pilothouse/api/apiextensions/v1"
import { descriptorFor } from "@pilothouse/api/descriptors"
import {
  type Clock,
  type Duration,
  type Log,
  type Metrics,
  milliseconds,
  noMetrics,
  onAbort,
  PilothouseError,
  type Random,
  silentLog,
  type Transport,
  type TransportRequest,
} from "@pilothouse/seams"
import { Informers } from "../cache/informers.ts"
import { type ScopeOptions, scopesOf } from "../cache/kind-scopes.ts"
import { type Client, createClient } from "../client/client.ts"
import { dryRun } from "../client/middleware/dry-run.ts"
import { measured } from "../client/middleware/request-metrics.ts"
import { type Controller, declaredKinds, fieldManagerOf } from "../controller/controller.ts"
import { ControllerRunner, defaultMaxConcurrentReconciles } from "../controller/controller-runner.ts"
import type { ResolveKind } from "../controller/plan/execute.ts"
import type { Leadership } from "../controller/plan/executors-while-leading.ts"
import type { Tracer } from "../controller/spans.ts"
import { defaultTimeLimit } from "../controller/time-limit.ts"
import { Trace } from "../controller/trace.ts"
import { EventRecorder } from "../events/event-recorder.ts"
import type { DefinedKind } from "../manifests/apply-definitions.ts"
import { type EndpointsOptions, endpoints } from "./endpoints.ts"
import { type Health, type HealthCheck, healthChecks } from "./health.ts"
import { LeaderElection } from "./leader-election.ts"
import { checkedTimings, type LeaderElectionOptions } from "./leader-election-options.ts"
import { RunningControllers, runControllers, type StopSignals, withCaches } from "./run-controllers.ts"

/** The default time for active keys to finish at shutdown. */
const defaultGrace = "10s"
const defaultUserAgent = "pilothouse"

/** Controllers and dependencies of a manager. */
export interface ManagerOptions extends ScopeOptions {
  readonly controllers: readonly Controller[]
  readonly transport: Transport
  /** The transport of one controller, by its name: for example with credentials of its own. Caches, leases and events use `transport`. */
  readonly transportFor?: (controller: string) => Transport
  /**
   * Definitions of custom resources, or kinds of defineKind: every replica applies them on the server as `userAgent`, and waits until their kinds are served
   * before its caches start. The manager needs the verbs get, list, watch, patch and create of customresourcedefinitions.
   */
  readonly crds?: readonly (CustomResourceDefinition | DefinedKind)[]
  /** Each controller appends its name, "pilothouse/deployment-controller", for the server's logs. */
  readonly userAgent?: string
  readonly clock: Clock
  readonly random: Random
  readonly log?: Log
  /** With a `text()` it is served at /metrics: memoryMetrics() has one. */
  readonly metrics?: Metrics & { text?(): string }
  /** Without it every replica works. With it the leader does; the others keep their caches warm. */
  readonly leaderElection?: LeaderElectionOptions
  /** Time for active keys to finish at shutdown; 10 s by default. */
  readonly grace?: Duration
  /** Interval between the starts of two controllers, randomized up to twice as long; none by default. */
  readonly startInterval?: Duration
  /** Decides, logs and traces without writes: none to the API, none by executors, and no lease. */
  readonly dryRun?: boolean
  /** More checks for /healthz and /readyz, such as of a controller that could not be created. Called at every request. */
  readonly checks?: () => readonly HealthCheck[]
  /** Freezes cached objects from the wire, so that a controller that changes one fails where it does. For tests: it costs time. */
  readonly freeze?: boolean
  /** The flags at /flagz, by name; without it there is no such page. Must hold no secrets. */
  readonly flags?: () => Readonly<Record<string, unknown>>
  /** OpenTelemetry's: each reconcile becomes a span. */
  readonly tracer?: Tracer
  /** Called with the controller and the key before each part of a reconcile that a controller writes: which one holds the event loop up. */
  readonly onReconcile?: (controller: string, key: string) => void
  /**
   * Called before each reconcile and after each 25 ms of changes in a cache, which wait for the promise where there is one: thousands of reconciles without
   * a write, or of dependents that one change enqueues, would hold the event loop up. By default they do not wait.
   */
  readonly whenFree?: () => Promise<void> | undefined
  /** The trace of the last reconciles; a new one by default. */
  readonly trace?: Trace
  /** The server in the labels of request metrics: "10.0.0.1:6443". */
  readonly host?: string
}

/** Runs controllers that share a client, caches, an event recorder and a trace. */
export interface Manager {
  /** For other requests; writes of the controllers are refused while another replica leads, these are not. */
  readonly client: Client
  readonly trace: Trace
  readonly health: Health
  /** Answers /healthz, /livez, /readyz, /metrics, /configz, /flagz and /debug/trace. */
  readonly endpoints: Transport
  /**
   * Runs the caches, and each controller once the caches of its kinds have synced (with leader election: while this process leads). Ends when the signal has aborted and everything has stopped;
   * throws LEADERSHIP_LOST when the lease was lost. May be called once.
   */
  run(signal: AbortSignal): Promise<void>
}

/** Creates a manager with explicit dependencies. `manager()` uses those of the machine. */
export function createManager(options: ManagerOptions): Manager {
  const { controllers, clock, random, log = silentLog, metrics = noMetrics, tracer, trace = new Trace() } = options
  refuseDuplicateNames(controllers)
  // Parsed now: an invalid one must not throw during shutdown.
  const [grace, startInterval] = [milliseconds(options.grace ?? defaultGrace), milliseconds(options.startInterval ?? 0)]
  const seams = { clock, random, log, metrics }
  const { userAgent = defaultUserAgent, transportFor = () => options.transport } = options
  const client = createClient(baseTransport(options, options.transport), { clock, userAgent })
  const leaderEvents = new EventRecorder({ ...seams, client })
  const election = leaderElectionFor(options, { ...seams, client, recordEvent: (event) => leaderEvents.record("leader-election", event) })
  const clientOf = (name: string, through: Transport, fieldManager?: string): Client => {
    const whole = baseTransport(options, through)
    const transport = election === undefined ? whole : onlyWhileLeading(whole, election)
    return createClient(transport, { clock, fieldManager, userAgent: `${userAgent}/${name}` })
  }
  const events = new EventRecorder({ ...seams, client: clientOf("events", options.transport) })
  const informers = new Informers({ ...seams, client, freeze: options.freeze, whenFree: options.whenFree, scopeOf: scopesOf(options) })
  const shared = {
    ...seams,
    discovery: client,
    informers,
    resolve: resolveKinds(controllers),
    events,
    trace,
    tracer,
    onReconcile: options.onReconcile,
    whenFree: options.whenFree,
    dryRun: options.dryRun ?? false,
    leadership: election,
  }
  const runners = controllers.map((controller) => {
    const { name } = controller
    return new ControllerRunner({ ...shared, controller, client: clientOf(name, transportFor(name), fieldManagerOf(controller)) })
  })
  const running = new RunningControllers(metrics)
  const health = healthChecks({ informers, runners, election, isRunning: (name) => running.has(name), others: options.checks })

  const work = async (signals: StopSignals): Promise<void> => {
    try {
      await runControllers({ ...seams, runners, grace, startInterval, running }, signals)
    } finally {
      await events.close()
    }
  }

  const run = async (signal: AbortSignal): Promise<void> => {
    using _stopping = onAbort(signal, () => log.info("stopping"))
    const watch = (until: AbortSignal) => Promise.all([informers.run(until), ...runners.map((worker) => worker.runDynamicInformers(until))])
    try {
      await installDefinitions(client, options, signal)
      await withCaches(watch, (stop) => (election === undefined ? work({ stop }) : election.run(work, stop)), signal)
    } finally {
      await leaderEvents.close()
    }
  }

  return {
    client,
    trace,
    health,
    run,
    endpoints: endpoints({ health, trace, configuration: () => configurationOf(options), ...endpointOptions(options) }),
  }
}

/** Ends without an error when the signal aborts. */
async function installDefinitions(client: Client, options: ManagerOptions, signal: AbortSignal): Promise<void> {
  const { crds = [], clock, dryRun, userAgent: fieldManager = defaultUserAgent } = options
  if (crds.length === 0) return
  const { applyDefinitions } = await import("../manifests/apply-definitions.ts")
  await applyDefinitions(client, crds, { clock, fieldManager, signal, dryRun }).catch((error: unknown) => {
    if (!signal.aborted) throw error
  })
}

/** Health, metrics, trace and work queues are keyed by name. */
function refuseDuplicateNames(controllers: readonly Controller[]): void {
  const names = controllers.map(({ name }) => name)
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  if (twice !== undefined)
    throw new PilothouseError("INVALID", `expected controllers of different names, found two called "${twice}"; rename one`)
}

/** The static options of the endpoints. */
function endpointOptions(options: ManagerOptions): Pick<EndpointsOptions, "controllers" | "metrics" | "flags" | "dryRun"> {
  const { controllers, flags, dryRun } = options
  return { controllers: controllers.map(({ name }) => name), metrics: metricsText(options), flags, dryRun }
}

function metricsText({ metrics }: ManagerOptions): (() => string) | undefined {
  return metrics?.text === undefined ? undefined : () => metrics.text?.() ?? ""
}

/** The transport of every request: with metrics, and in a dry run without writes. */
function baseTransport({ metrics, clock, random, host, log = silentLog, ...options }: ManagerOptions, transport: Transport): Transport {
  const counted = metrics === undefined ? transport : measured(transport, { metrics, clock, host })
  if (!options.dryRun) return counted
  return dryRun(counted, { clock, random, record: ({ verb, path }) => log.debug("not sent, this is a dry run", { verb, path }) })
}

function leaderElectionFor(
  { leaderElection, dryRun }: ManagerOptions,
  seams: ConstructorParameters<typeof LeaderElection>[1],
): LeaderElection | undefined {
  return leaderElection === undefined || dryRun ? undefined : new LeaderElection(leaderElection, seams)
}

/** Resolves kinds that the controllers declare, and all kinds of Kubernetes. */
function resolveKinds(controllers: readonly Controller[]): ResolveKind {
  const declared = new Map<string, Descriptor>()
  for (const kind of controllers.flatMap(declaredKinds)) declared.set(`${apiVersionOf(kind)}/${kind.kind}`, kind)
  return ({ apiVersion, kind }) => {
    const [version = "", group = ""] = apiVersion.split("/").reverse()
    const found = declared.get(`${apiVersion}/${kind}`) ?? descriptorFor({ group, version, kind })
    if (found !== undefined) return found
    throw new PilothouseError("INVALID", `expected a known kind, found ${apiVersion} ${kind}; declare its descriptor with the controller`)
  }
}

/** What /configz shows. */
function configurationOf({
  controllers,
  leaderElection,
  grace = defaultGrace,
  startInterval = 0,
  dryRun = false,
}: ManagerOptions): unknown {
  const shown = controllers.map(
    ({ name, maxConcurrentReconciles = defaultMaxConcurrentReconciles, reconcileTimeout = defaultTimeLimit }) => ({
      name,
      maxConcurrentReconciles,
      reconcileTimeout,
    }),
  )
  const election = leaderElection && { ...leaderElection, ...checkedTimings(leaderElection) }
  return { "pilothouse.dev": { controllers: shown, leaderElection: election, grace, startInterval, dryRun } }
}

/**
 * Passes reads always, and writes only while this process leads. A write in flight is aborted when leadership is lost, and one that is sent again (a retry
 * below, new credentials) is checked each time: two leaders that both write would undo each other's work. The signal alone is not enough:
 * after a suspend of the machine, the timer of a retry may fire before the one that finds the lease lost.
 */
export function onlyWhileLeading(inner: Transport, leadership: Leadership): Transport {
  return async (request) => {
    if (request.verb === "GET") return inner(request)
    const beforeSending = () => {
      request.beforeSending?.()
      if (!leadership.isLeading) throw notSent(request)
    }
    beforeSending()
    const signal = request.signal === undefined ? leadership.lost : AbortSignal.any([request.signal, leadership.lost])
    return inner({ ...request, signal, beforeSending })
  }
}

function notSent({ verb, path }: TransportRequest): PilothouseError {
  return new PilothouseError(
    "LEADERSHIP_LOST",
    `expected to lead before a write, found that another may lead: ${verb} ${path} was not sent`,
  )
}

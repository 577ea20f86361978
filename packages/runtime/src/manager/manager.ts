import type { Tracer } from "@opentelemetry/api"
import { type Clock, type Duration, type Log, type Metrics, noMetrics, type Random, silentLog, type Transport } from "@pilothouse/seams"
import { Informers } from "../cache/informers.ts"
import { type Client, createClient } from "../client/client.ts"
import { dryRun } from "../client/dry-run.ts"
import { measured } from "../client/measure.ts"
import type { Controller } from "../controller/controller.ts"
import { Trace } from "../controller/trace.ts"
import { Worker } from "../controller/worker.ts"
import { EventRecorder } from "../events/event-recorder.ts"
import { configurationOf } from "./configuration.ts"
import { endpoints } from "./endpoints.ts"
import { type Health, type HealthCheck, healthChecks } from "./health.ts"
import { LeaderElection } from "./leader-election.ts"
import type { LeaderElectionOptions } from "./leader-election-options.ts"
import { onlyWhileLeading } from "./only-while-leading.ts"
import { resolveKinds } from "./resolve-kinds.ts"
import { runWorkers, type StopSignals } from "./run-workers.ts"
import { RunningControllers } from "./running-controllers.ts"

export interface ManagerOptions {
  readonly controllers: readonly Controller[]
  readonly transport: Transport
  /** What the calls of one controller go through instead, by its name: as a user of its own, say. Caches, leases and events stay with `transport`. */
  readonly transportFor?: (controller: string) => Transport
  /** Each controller adds its name to it, "pilothouse/deployment-controller", so that the server's logs tell who asked. */
  readonly userAgent?: string
  readonly clock: Clock
  readonly random: Random
  readonly log?: Log
  /** With a `text()` it is what /metrics answers: memoryMetrics() has one. */
  readonly metrics?: Metrics & { text?(): string }
  /** Without it every manager works. With it one of several does; the others keep their caches warm. */
  readonly leaderElection?: LeaderElectionOptions
  /** How long the keys in hand may take to end when all is stopped; 10 s unless told otherwise. */
  readonly grace?: Duration
  /** Between the starts of two controllers, once to twice as long; none unless told otherwise. */
  readonly startInterval?: Duration
  /** Decides, logs and traces, and writes nothing: not to the API, not by executors, and no lease. */
  readonly dryRun?: boolean
  /** More checks for /healthz and /readyz: of a loop that could not be made, say. Asked at every request. */
  readonly checks?: () => readonly HealthCheck[]
  /** Freezes what comes into the caches over a wire, so that a loop that changes a cached object fails where it does. For tests: it costs time. */
  readonly freeze?: boolean
  /** What /flagz shows, by name; without it there is no such page. Must hold no secrets. */
  readonly flags?: () => Readonly<Record<string, unknown>>
  /** OpenTelemetry's: each reconcile becomes a span. */
  readonly tracer?: Tracer
}

/** Controllers that share a client, caches, a recorder of events and a trace. */
export interface Manager {
  /** For calls of your own; those of the controllers are refused while another leads, these are not. */
  readonly client: Client
  readonly trace: Trace
  readonly health: Health
  /** Answers /healthz, /livez, /readyz, /metrics, /configz, /flagz and /debug/trace. */
  readonly endpoints: Transport
  /**
   * Fills the caches, and runs each loop once those of its kinds are full (with leader election: and the lease is ours). Ends when the signal has aborted and everything has stopped;
   * throws LEADERSHIP_LOST when the lease was lost. Once only.
   */
  run(signal: AbortSignal): Promise<void>
}

export function createManager(options: ManagerOptions): Manager {
  const { controllers, clock, random, log = silentLog, metrics = noMetrics, grace = "10s", startInterval = 0, tracer } = options
  const seams = { clock, random, log, metrics }
  const { userAgent = "pilothouse", transportFor = () => options.transport } = options
  const client = createClient(lowest(options, options.transport), { clock, userAgent })
  const leaderEvents = new EventRecorder({ ...seams, client })
  const election = electionOf(options, { ...seams, client, say: (event) => leaderEvents.record("leader-election", event) })
  const clientOf = (name: string, through: Transport): Client => {
    const whole = lowest(options, through)
    return createClient(election === undefined ? whole : onlyWhileLeading(whole, election), { clock, userAgent: `${userAgent}/${name}` })
  }
  const events = new EventRecorder({ ...seams, client: clientOf("events", options.transport) })
  const informers = new Informers({ ...seams, client, freeze: options.freeze })
  const trace = new Trace()
  const shared = {
    ...seams,
    discovery: client,
    informers,
    resolve: resolveKinds(controllers),
    events,
    trace,
    tracer,
    dryRun: options.dryRun ?? false,
    leadership: election,
  }
  const workers = controllers.map(
    (controller) => new Worker({ ...shared, controller, client: clientOf(controller.name, transportFor(controller.name)) }),
  )
  const running = new RunningControllers(metrics)
  const health = healthChecks({ informers, workers, election, isRunning: (name) => running.has(name), others: options.checks })

  const work = async (signals: StopSignals): Promise<void> => {
    try {
      await runWorkers({ ...seams, workers, grace, startInterval, running }, signals)
    } finally {
      await events.close()
    }
  }

  const run = async (signal: AbortSignal): Promise<void> => {
    const caches = new AbortController()
    const watching = Promise.all([informers.run(caches.signal), ...workers.map((worker) => worker.follow(caches.signal))])
    try {
      await (election === undefined ? work({ stop: signal }) : election.run(work, signal))
    } finally {
      // Last, because loops that end what they have in hand still read them.
      caches.abort()
      await watching
      await leaderEvents.close()
    }
  }

  const configuration = () => configurationOf(options)
  return {
    client,
    trace,
    health,
    run,
    endpoints: endpoints({ health, trace, metrics: metricsText(options), configuration, flags: options.flags }),
  }
}

function metricsText({ metrics }: ManagerOptions): (() => string) | undefined {
  return metrics?.text === undefined ? undefined : () => metrics.text?.() ?? ""
}

/** What every request goes through. */
function lowest({ metrics, clock, random, log = silentLog, ...options }: ManagerOptions, transport: Transport): Transport {
  const counted = metrics === undefined ? transport : measured(transport, { metrics, clock })
  if (!options.dryRun) return counted
  return dryRun(counted, { clock, random, record: ({ verb, path }) => log.debug("not sent, this is a dry run", { verb, path }) })
}

function electionOf(
  { leaderElection, dryRun }: ManagerOptions,
  seams: ConstructorParameters<typeof LeaderElection>[1],
): LeaderElection | undefined {
  return leaderElection === undefined || dryRun ? undefined : new LeaderElection(leaderElection, seams)
}

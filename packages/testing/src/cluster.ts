import { type Descriptor, isAlreadyExists, type KubeObject } from "@pilothouse/api"
import { descriptorFor } from "@pilothouse/api/descriptors"
import { type ApiServer, createApiServer, type Extension, tokenSigner } from "@pilothouse/apiserver"
import { type CreateControllersOptions, createControllers } from "@pilothouse/controllers"
import {
  kubeletApi,
  metricsApis,
  Processes,
  type ProcessesOptions,
  registerSimulatedNodes,
  type SimulatedKubeletOptions,
  scheduler,
  simulatedKubelets,
  systemProbe,
  systemSpawn,
} from "@pilothouse/nodes"
import { type Client, type Controller, createClient, type ListOptions, type Manager } from "@pilothouse/runtime"
import {
  type Clock,
  type Duration,
  jsonRoundTrip,
  type Log,
  milliseconds,
  PilothouseError,
  type Random,
  seededRandom,
  type Transport,
  VirtualClock,
} from "@pilothouse/seams"
import { systemClock } from "@pilothouse/seams/system"
import { type Loops, startLoops } from "./loops.ts"
import { serviceAccountKey } from "./service-account-key.ts"

export interface ClusterOptions {
  /** Simulated nodes; 1 unless told otherwise. */
  readonly nodes?: number
  /** Loops of the controller manager as --controllers takes them: ["deployment", "replicaset"], ["*", "-job"]. All of them unless told otherwise. */
  readonly controllers?: readonly string[]
  /** Their flags: { "terminated-pod-gc-threshold": 5 }. */
  readonly settings?: CreateControllersOptions["settings"]
  /** What some of them cannot do without: a CA, a signer of tokens. */
  readonly needs?: CreateControllersOptions["needs"]
  /** API prefixes that a transport of yours answers: scripted metrics under "/apis/metrics.k8s.io". */
  readonly extensions?: readonly Extension[]
  /** Loops of your own that run beside them. A function is called at every start: loops that remember something begin anew after a crash. */
  readonly extra?: readonly Controller[] | ((clock: Clock) => readonly Controller[])
  /** Runs pods whose image is `process` as real processes on this host (in real time), or with what you start them with. Not unless told. */
  readonly exec?: boolean | Pick<ProcessesOptions, "oneAddress" | "probe" | "spawn">
  /** Who gives pods their addresses; unless told, the simulated kubelets do. */
  readonly network?: SimulatedKubeletOptions["network"]
  /** Whether the simulated kubelets tell what happens to pods, as real ones do; not unless told: most tests would only wait for it. */
  readonly kubeletEvents?: boolean
  /** "virtual" unless told otherwise: time stands still until settled(), advance() or until() move it. */
  readonly time?: "virtual" | "real"
  /** When virtual time begins: "2026-01-05T23:30:00Z". A Monday morning at nine unless told otherwise. */
  readonly start?: string
  /** Where ids and jitter come from; a failing test prints it. */
  readonly seed?: number
  /** Takes every body through JSON, as a wire would. */
  readonly throughJson?: boolean
  /** Wraps the transport of the loops: faults, counters. */
  readonly layer?: (transport: Transport) => Transport
  readonly log?: Log
}

/** A Kubernetes cluster inside this process: API server, loops, scheduler, nodes. */
export interface Cluster extends AsyncDisposable {
  readonly client: Client
  readonly clock: Clock
  readonly random: Random
  /** The API server itself, for clients of your own. */
  readonly transport: Transport
  /** What the loops decided, and why. */
  readonly trace: Manager["trace"]
  /** The names of the loops that run: "replicaset-controller". */
  readonly loops: ReadonlySet<string>
  /** Creates the object, or updates the one that is there. */
  apply<T extends KubeObject>(object: T): Promise<T>
  list<T extends KubeObject>(of: Descriptor<T>, options?: ListOptions<T>): Promise<readonly T[]>
  /** Ends when nothing is left to do at this instant. Virtual time only. */
  settled(): Promise<void>
  /** Lets time pass. Virtual time only. */
  advance(duration: Duration): Promise<void>
  /**
   * Lets time pass until the condition holds, which is asked at every instant at which something happens. Throws CLOCK_LIMIT after an hour in vain,
   * STUCK when nothing is left that could happen. Virtual time only.
   */
  until(condition: () => Promise<boolean>): Promise<void>
  /** Ends the loops as a crash does (nothing they had in hand goes any further), and starts new ones that know nothing. */
  restartLoops(): Promise<void>
  close(): Promise<void>
}

export async function cluster(options: ClusterOptions = {}): Promise<Cluster> {
  const virtual =
    options.time === "real" ? undefined : new VirtualClock({ start: options.start === undefined ? undefined : Date.parse(options.start) })
  const clock = virtual ?? systemClock
  const random = seededRandom(options.seed ?? 1)
  const keys = serviceAccountKey()
  const serviceAccounts = { keys, issuer: "https://kubernetes.default.svc.cluster.local" }
  const asked = { clock, client: () => client }
  const processes = processesOf(options, asked)
  const server = createApiServer({
    clock,
    random: random.fork("apiserver"),
    // Those of a test are asked first.
    extensions: [...(options.extensions ?? []), ...metricsApis(asked)],
    kubelet: kubeletApi({ ...asked, printed: processes && ((...which) => processes.printed(...which)) }),
    allowLoopbackEndpoints: processes !== undefined,
    serviceAccounts,
  })
  const transport = options.throughJson ? jsonRoundTrip(server.transport()) : server.transport()
  const client = createClient(transport, { userAgent: "test" })
  const { layer, log } = options
  const needs: Needs = { signToken: (claims) => tokenSigner(keys().key)(claims), ...options.needs }
  const loops = startLoops({ controllers: () => chosenControllers(options, clock, needs, processes), clock, random, transport, layer, log })
  const made: Cluster = {
    client,
    clock,
    random,
    transport,
    get trace() {
      return loops.manager().trace
    },
    loops: loops.names,
    apply: (object) => apply(client, object),
    list: async (of, listOptions) => (await client.list(of, listOptions)).items,
    settled: () => needVirtual(virtual, "settled").settle(),
    advance: (duration) => needVirtual(virtual, "advance").advance(duration),
    until: (condition) => until(needVirtual(virtual, "until"), condition),
    restartLoops: async () => loops.restart(),
    close: () => close(loops, server, virtual, processes),
    [Symbol.asyncDispose]: () => close(loops, server, virtual, processes),
  }
  await run(
    virtual,
    registerSimulatedNodes(client, options.nodes ?? 1, { exec: processes !== undefined, oneAddress: processes?.oneAddress }),
  )
  return made
}

function processesOf({ exec }: ClusterOptions, seams: Pick<ProcessesOptions, "clock" | "client">): Processes | undefined {
  if (exec === undefined || exec === false) return undefined
  return new Processes({ ...seams, ...(exec === true ? { spawn: systemSpawn, probe: systemProbe } : exec) })
}

type Needs = NonNullable<ClusterOptions["needs"]>

function chosenControllers(
  { controllers: select, settings, extra = [], kubeletEvents, network }: ClusterOptions,
  clock: Clock,
  needs: Needs,
  processes: Processes | undefined,
): readonly Controller[] {
  const own = typeof extra === "function" ? extra(clock) : extra
  const kubelets = simulatedKubelets({ events: kubeletEvents, processes, network })
  return [...createControllers({ select, settings, needs }), scheduler(), kubelets, ...own]
}

async function apply<T extends KubeObject>(client: Client, object: T): Promise<T> {
  const namespaced = withDefaultNamespace(object)
  const of = descriptorOf(namespaced)
  try {
    return await client.create(of, namespaced)
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
    return client.patch(of, namespaced, namespaced)
  }
}

function descriptorOf<T extends KubeObject>({ apiVersion, kind }: T): Descriptor<T> {
  const [version = "", group = ""] = apiVersion.split("/").reverse()
  const found = descriptorFor({ group, version, kind })
  if (found === undefined) throw new PilothouseError("INVALID", `expected a known kind, found ${apiVersion} ${kind}`)
  return found as Descriptor<T>
}

function withDefaultNamespace<T extends KubeObject>(object: T): T {
  if (!descriptorOf(object).namespaced || object.metadata.namespace !== undefined) return object
  return { ...object, metadata: { ...object.metadata, namespace: "default" } }
}

async function until(clock: VirtualClock, condition: () => Promise<boolean>): Promise<void> {
  const deadline = clock.elapsed() + milliseconds("1h")
  await clock.settle()
  while (!(await run(clock, condition()))) {
    if (clock.elapsed() >= deadline) throw inVain(clock)
    const before = clock.elapsed()
    await clock.run(() => clock.elapsed() > before)
    await clock.settle()
  }
}

function inVain(clock: VirtualClock): PilothouseError {
  const waiting = clock.waiting().slice(0, 10).join("; ")
  return new PilothouseError("CLOCK_LIMIT", `the condition did not come true within an hour; waiting: ${waiting}`)
}

async function run<T>(clock: VirtualClock | undefined, work: Promise<T>): Promise<T> {
  if (clock !== undefined) await clock.run(work)
  return work
}

async function close(loops: Loops, server: ApiServer, clock: VirtualClock | undefined, processes: Processes | undefined): Promise<void> {
  await run(clock, loops.stop())
  if (processes !== undefined) await run(clock, processes[Symbol.asyncDispose]())
  await server.close()
}

function needVirtual(clock: VirtualClock | undefined, method: string): VirtualClock {
  if (clock === undefined)
    throw new PilothouseError(
      "INVALID",
      `${method}() moves virtual time, and this cluster runs in real time; make it with { time: "virtual" }`,
    )
  return clock
}

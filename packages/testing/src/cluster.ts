import { type Descriptor, isAlreadyExists, type KubeObject } from "@pilothouse/api"
import { descriptorFor } from "@pilothouse/api/descriptors"
import { type ApiServer, createApiServer } from "@pilothouse/apiserver"
import { controllers } from "@pilothouse/controllers"
import { registerSimulatedNodes, scheduler, simulatedKubelets } from "@pilothouse/nodes"
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

export interface ClusterOptions {
  /** Simulated nodes; 1 unless told otherwise. */
  readonly nodes?: number
  /** Loops of the controller manager by name ("deployment", "deployment-controller"); all of them unless told otherwise. */
  readonly controllers?: readonly string[]
  /** Loops of your own that run beside them. */
  readonly extra?: readonly Controller[]
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
  /** Creates the object, or updates the one that is there. */
  apply<T extends KubeObject>(object: T): Promise<T>
  list<T extends KubeObject>(of: Descriptor<T>, options?: ListOptions): Promise<readonly T[]>
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
  const server = createApiServer({ clock, random: random.fork("apiserver") })
  const transport = options.throughJson ? jsonRoundTrip(server.transport()) : server.transport()
  const client = createClient(transport, { userAgent: "test" })
  const { layer, log } = options
  const loops = startLoops({ controllers: () => chosenControllers(options), clock, random, transport, layer, log })
  const made: Cluster = {
    client,
    clock,
    random,
    transport,
    get trace() {
      return loops.manager().trace
    },
    apply: (object) => apply(client, object),
    list: async (of, listOptions) => (await client.list(of, listOptions)).items,
    settled: () => needVirtual(virtual, "settled").settle(),
    advance: (duration) => needVirtual(virtual, "advance").advance(duration),
    until: (condition) => until(needVirtual(virtual, "until"), condition),
    restartLoops: async () => loops.restart(),
    close: () => close(loops, server, virtual),
    [Symbol.asyncDispose]: () => close(loops, server, virtual),
  }
  await run(virtual, registerSimulatedNodes(client, options.nodes ?? 1))
  return made
}

function chosenControllers({ controllers: names, extra = [] }: ClusterOptions): readonly Controller[] {
  const chosen = names === undefined ? controllers : names.map(controllerNamed)
  return [...chosen.map((entry) => entry.create()), scheduler(), simulatedKubelets(), ...extra]
}

function controllerNamed(name: string): (typeof controllers)[number] {
  const found = controllers.find((entry) => entry.name === name || entry.name === `${name}-controller`)
  if (found !== undefined) return found
  const known = controllers.map((entry) => entry.name).join(", ")
  throw new PilothouseError("INVALID", `expected the name of a controller, found "${name}"; there are ${known}`)
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

async function close(loops: Loops, server: ApiServer, clock: VirtualClock | undefined): Promise<void> {
  await run(clock, loops.stop())
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

import type { KubeObject } from "@pilothouse/api"
import { type LogLine, logTo, type MemoryMetrics, memoryMetrics, seededRandom, VirtualClock } from "@pilothouse/seams"
import type { KubeRegistryOptions } from "../kube/convert/options.ts"
import { KubeRegistry } from "../kube/kube-registry.ts"
import type { Endpoint } from "../model/endpoint.ts"
import type { Registry, RegistrySubscriber } from "../registry/registry.ts"
import { TestKube } from "./kube.ts"

/** A registry on a fake cluster, and its notifications. */
export interface RegistryFixture extends AsyncDisposable {
  readonly kube: TestKube
  readonly clock: VirtualClock
  readonly registry: KubeRegistry
  readonly metrics: MemoryMetrics
  readonly lines: LogLine[]
  /** What was announced since the last call: "service web.shop added". */
  told(): readonly string[]
  /** Puts objects and settles. */
  put(...objects: readonly KubeObject[]): Promise<void>
  remove(...objects: readonly KubeObject[]): Promise<void>
  /** "10.0.0.1:8080 healthy": the endpoints of a service, in short. */
  endpoints(hostname: string): readonly string[]
  stop(): Promise<void>
}

/** Options of the registry and of its cluster. */
export interface RegistryFixtureOptions extends Partial<KubeRegistryOptions> {
  readonly objects?: readonly KubeObject[]
  readonly kube?: TestKube
  readonly clock?: VirtualClock
}

/** A registry that runs at a cluster with these objects, and has read them. */
export async function registryFixture(options: RegistryFixtureOptions = {}): Promise<RegistryFixture> {
  const { objects = [], kube = new TestKube(), clock = new VirtualClock(), ...rest } = options
  for (const object of objects) kube.put(object)
  const lines: LogLine[] = []
  const metrics = memoryMetrics()
  const seams = { clock, random: seededRandom(1), log: logTo((line) => lines.push(line)), metrics, client: kube.client }
  const registry = new KubeRegistry({ ...seams, ...rest })
  const told = recorded(registry)
  const stopping = new AbortController()
  const running = registry.run(stopping.signal)
  await clock.settle()
  const stop = async () => {
    stopping.abort()
    await clock.run(running)
  }
  return {
    kube,
    clock,
    registry,
    metrics,
    lines,
    told,
    async put(...more) {
      for (const object of more) kube.put(object)
      await clock.settle()
    },
    async remove(...gone) {
      for (const object of gone) kube.remove(object)
      await clock.settle()
    },
    endpoints: (hostname) => registry.endpoints(hostname).map(inShort),
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

/** Everything a registry tells, in words. */
export function recorded(registry: Registry): () => readonly string[] {
  const told: string[] = []
  const short = (hostname: string) => hostname.replace(".svc.cluster.local", "")
  const subscriber: RegistrySubscriber = {
    serviceUpdate: (hostname, change) => void told.push(`service ${short(hostname)} ${change}`),
    endpointsUpdate: (shard, hostname, { removed }) =>
      void told.push(`endpoints ${short(hostname)}${removed ? " fewer" : ""}${shard === "Kubernetes" ? "" : ` in ${shard}`}`),
    workloadUpdate: (address) => void told.push(`workload ${address}`),
    configUpdate: (reason) => void told.push(`config: ${reason}`),
  }
  registry.subscribe(subscriber)
  return () => told.splice(0)
}

/** "10.0.0.1:8080 healthy": an endpoint in assertions. */
export function inShort({ addresses, port, health }: Endpoint): string {
  return `${addresses.join("+")}:${port} ${health}`
}

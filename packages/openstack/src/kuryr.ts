import { type EventHandler, type Pipeline, type PipelineOptions, pipeline } from "@pilothouse/runtime"
import { type Clock, type Log, type Metrics, PilothouseError, type Random, silentLog } from "@pilothouse/seams"
import type { OpenStack } from "./clients/cloud.ts"
import type { KuryrConfiguration } from "./configuration/configuration.ts"
import type { ClusterMarks } from "./drivers/creation/cluster-marks.ts"
import { createDrivers, type Drivers } from "./drivers/drivers.ts"
import { lbaasSpecHandler } from "./handlers/lbaas-spec/handler.ts"
import { Balancers } from "./handlers/load-balancer/balancers.ts"
import { loadBalancerHandler } from "./handlers/load-balancer/handler.ts"
import { type OwnershipOptions, ownership } from "./handlers/ownership.ts"
import { vifHandler } from "./handlers/vif/handler.ts"
import { Reachability } from "./reachability/reachability.ts"
import { type SweepOptions, sweepHandler } from "./sweep/handler.ts"

/** The cloud, the configuration of kuryr.conf, and the cluster whose pods and Services are served. */
export interface KuryrOptions {
  readonly cloud: Pick<OpenStack, "neutron" | "octavia">
  readonly configuration: KuryrConfiguration
  /** The UID of the kube-system namespace. */
  readonly cluster: string
  readonly clock: Clock
  readonly random: Random
  readonly log?: Log
  readonly metrics?: Metrics
  /** What is served; everything by default. */
  readonly select?: OwnershipOptions
  readonly source?: "endpoints" | "endpointslices"
  /** Handlers of your own, by the name that enabled_handlers has for them. */
  readonly handlers?: Readonly<Record<string, (drivers: Drivers) => EventHandler>>
  /** When and how objects without an owner are deleted. */
  readonly sweep?: Pick<SweepOptions, "every" | "grace" | "dryRun">
  /** Looks and decides only: for a manager that does the same. Nothing is done in the background either. */
  readonly dryRun?: boolean
  readonly pipeline?: Pick<PipelineOptions, "concurrency" | "depth" | "retry" | "resync">
}

/** A running pipeline, with the drivers and load balancers that its handlers share. */
export interface Kuryr extends Pipeline {
  readonly drivers: Drivers
  readonly balancers: Balancers
}

/** kuryr's numbers but for the first: one refused call would cost a pod 3 s. From the second failure on its waits are kuryr's. */
const retry = { first: "1s" } as const

/** Pods as Neutron ports and Services as load balancers: the handlers that the configuration enables, on an event pipeline. */
export function kuryr(options: KuryrOptions): Kuryr {
  const { cloud, configuration, cluster, clock, random, log = silentLog, metrics, dryRun = false } = options
  const clusterMarks: ClusterMarks = { cluster, extra: configuration.resourceTags }
  const drivers = createDrivers({ cloud, configuration, clusterMarks, clock, random, log, grace: options.sweep?.grace, dryRun })
  const balancers = new Balancers({ cloud, clusterMarks, project: configuration.project, clock })
  const enabled = configuration.enabledHandlers.map((name) => createHandler(name, { ...options, drivers, balancers, clusterMarks }))
  const sweep = sweepHandler({ cloud, clusterMarks, project: configuration.project, clock, driver: drivers.pods.driver, ...options.sweep })
  const handlers = [...enabled, sweep]
  const made = pipeline({ ...options.pipeline, retry: { ...retry, ...options.pipeline?.retry }, handlers, clock, random, log, metrics })
  return { ...made, drivers, balancers }
}

type Made = KuryrOptions & { readonly drivers: Drivers; readonly balancers: Balancers; readonly clusterMarks: ClusterMarks }

/** The handlers that need no program of one's own, by the names that enabled_handlers has for them. */
export const handlerNames: readonly string[] = ["vif", "lbaasspec", "lb"]

function createHandler(name: string, made: Made): EventHandler {
  const { drivers, configuration } = made
  const select = ownership(made.select)
  const { clock, metrics, dryRun } = made
  if (name === "vif") return vifHandler({ ...drivers.pods, ownership: select, ovsBridge: configuration.ovsBridge, clock, metrics, dryRun })
  if (name === "lbaasspec") return lbaasSpecHandler({ ...drivers.services, ownership: select, dryRun })
  if (name === "lb")
    return loadBalancerHandler({
      ...made,
      ownership: select,
      tree: drivers.tree,
      reachability: new Reachability(made.cloud.neutron, made.clock),
    })
  const own = made.handlers?.[name]
  if (own !== undefined) return own(drivers)
  const known = [...handlerNames, ...Object.keys(made.handlers ?? {})].join(", ")
  throw new PilothouseError("INVALID", `[kubernetes] enabled_handlers: expected some of ${known}, found ${name}`)
}

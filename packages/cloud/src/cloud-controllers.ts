import { type Controller, findControllerDescriptor, type GivenSettings, type HealthCheck } from "@pilothouse/runtime"
import { type Clock, type Log, type Metrics, messageOf, PilothouseError, silentLog } from "@pilothouse/seams"
import { cloudNodeDescriptor } from "./node/controller.ts"
import { cloudNodeLifecycleDescriptor } from "./node-lifecycle/controller.ts"
import type { CloudControllerDescriptor } from "./provider/cloud-descriptor.ts"
import { MissingCapability } from "./provider/cloud-errors.ts"
import type { CloudProvider } from "./provider/provider.ts"
import { routeDescriptor } from "./route/controller.ts"
import { serviceDescriptor } from "./service/controller.ts"

/** Every controller of the cloud controller manager, in the order in which they are started. */
export const cloudControllers: readonly CloudControllerDescriptor[] = [
  cloudNodeDescriptor,
  cloudNodeLifecycleDescriptor,
  serviceDescriptor,
  routeDescriptor,
]

/** The field manager under which all of upstream's cloud controllers write. */
const fieldManager = "cloud-controller-manager"

/** What `createCloudControllers` needs: how to make the provider, and the settings of its controllers. */
export interface CreateCloudControllersOptions {
  /** Makes the provider for the cluster of that name. What it throws is logged, and disables the cloud controllers only. */
  provider(clusterName: string): CloudProvider
  readonly clock: Clock
  /** As --controllers: "*" is all of them, "x" that one too, "-x" not that one. Names or aliases; `["*"]` by default. */
  readonly select?: readonly string[]
  /** By flag name, for all controllers together. Names that no cloud controller has belong to others and are ignored. */
  readonly settings?: GivenSettings
  readonly log?: Log
  readonly metrics?: Metrics
}

/** The controllers to run, and a failed health check for each that was selected and cannot run. */
export interface CloudControllers {
  readonly controllers: readonly Controller[]
  /** One failed check for each controller that was selected and cannot run: for the manager's `checks`. */
  readonly checks: readonly HealthCheck[]
}

/**
 * Creates the controllers that are selected and can run. The others become failed health checks: the process goes on without them, and reports it.
 * One that only "*" selects is left out with a line of the log where the provider lacks the capability that it needs.
 */
export function createCloudControllers(options: CreateCloudControllersOptions): CloudControllers {
  const { clock, metrics, select = ["*"], settings = {}, log = silentLog } = options
  const chosen = selectCloudControllers(select)
  if (chosen.length === 0) return { controllers: [], checks: [] }
  const controllers: Controller[] = []
  const checks: HealthCheck[] = []
  const provider = attempt(() => options.provider(clusterNameIn(settings)))
  if ("failure" in provider) log.error("the cloud provider cannot be created: its controllers are disabled", { error: provider.failure })
  for (const entry of chosen) {
    const made = "failure" in provider ? provider : attempt(() => entry.create(settings, { provider: provider.value, clock, metrics }))
    if ("value" in made) controllers.push(...made.value.map((one) => ({ fieldManager, ...one })))
    else if (made.isMissing && !isNamed(select, entry, false))
      log.info("a cloud controller is left out", { controller: entry.name, reason: made.failure })
    else {
      checks.push({ name: entry.name, ok: false, reason: made.failure })
      if ("value" in provider) log.error("a cloud controller is disabled", { controller: entry.name, error: made.failure })
    }
  }
  return { controllers, checks }
}

/**
 * Returns the selected cloud controllers. A name with a minus takes precedence, as upstream; names of other controllers are ignored, as one flag
 * names them all.
 */
export function selectCloudControllers(select: readonly string[]): readonly CloudControllerDescriptor[] {
  return cloudControllers.filter(
    (entry) => !isNamed(select, entry, true) && (isNamed(select, entry, false) || (select.includes("*") && entry.onByDefault)),
  )
}

/** Reports whether a word names the controller: one with a minus, or one without. */
function isNamed(select: readonly string[], entry: CloudControllerDescriptor, isOut: boolean): boolean {
  return select.some((word) => word.startsWith("-") === isOut && findControllerDescriptor(cloudControllers, word) === entry)
}

/** Reports whether a word of --controllers names a cloud controller, which the table of the other controllers does not have. */
export function isCloudController(word: string): boolean {
  return findControllerDescriptor(cloudControllers, word) !== undefined
}

/** Reports whether --controllers selects the controller of load balancers. */
export function isServiceControllerSelected(select: readonly string[]): boolean {
  return selectCloudControllers(select).includes(serviceDescriptor)
}

function clusterNameIn(settings: GivenSettings): string {
  const flag = serviceDescriptor.flags["cluster-name"]
  return flag === undefined || !("cluster-name" in settings) ? "kubernetes" : String(flag.parse(settings["cluster-name"]))
}

/** An invalid setting is the caller's mistake and is thrown, as for any other flag. */
function attempt<T>(work: () => T): { readonly value: T } | { readonly failure: string; readonly isMissing: boolean } {
  try {
    return { value: work() }
  } catch (error) {
    if (error instanceof PilothouseError && error.code === "INVALID") throw error
    return { failure: messageOf(error), isMissing: error instanceof MissingCapability }
  }
}

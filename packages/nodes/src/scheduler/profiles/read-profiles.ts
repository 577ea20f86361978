import { closest, PilothouseError } from "@pilothouse/seams"
import type { FilterName } from "../queue/filter-name.ts"
import { defaultSchedulerName, defaultWeights, type SchedulerProfile, type ScoreName } from "./profile.ts"

interface Plugin {
  readonly filters?: readonly FilterName[]
  readonly score?: ScoreName
  /** Without it nothing would be placed. */
  readonly isFixed?: true
}

/** The default plug-ins of kube-scheduler 1.36, and what is theirs here. */
const plugins: Readonly<Record<string, Plugin>> = {
  NodeUnschedulable: { filters: ["unschedulable"] },
  TaintToleration: { filters: ["taints"], score: "preferredTaints" },
  NodeAffinity: { filters: ["nodeAffinity"], score: "preferredNodes" },
  NodePorts: { filters: ["hostPorts"] },
  NodeResourcesFit: { filters: ["resources"], score: "leastAllocated" },
  VolumeRestrictions: { filters: ["diskConflicts", "readWriteOncePod"] },
  NodeVolumeLimits: { filters: ["volumeLimits"] },
  VolumeBinding: { filters: ["volumeBinding"] },
  VolumeZone: { filters: ["volumeZone"] },
  PodTopologySpread: { filters: ["topologySpread"], score: "spreading" },
  InterPodAffinity: { filters: ["podAffinity"], score: "preferredPods" },
  DynamicResources: { filters: ["dynamicResources"] },
  NodeResourcesBalancedAllocation: { score: "balancedAllocation" },
  ImageLocality: { score: "imageLocality" },
  DefaultBinder: { isFixed: true },
  DefaultPreemption: { isFixed: true },
  NodeDeclaredFeatures: { isFixed: true },
  NodeName: { isFixed: true },
  PrioritySort: { isFixed: true },
  SchedulingGates: { isFixed: true },
}

interface PluginSet {
  readonly enabled?: readonly { readonly name: string; readonly weight?: number }[]
  readonly disabled?: readonly { readonly name: string }[]
}

interface GivenProfile {
  readonly schedulerName?: string
  readonly plugins?: Readonly<Record<string, PluginSet | undefined>>
  readonly pluginConfig?: readonly unknown[]
}

interface Configuration {
  readonly apiVersion?: string
  readonly kind?: string
  readonly profiles?: readonly GivenProfile[]
  readonly extenders?: readonly unknown[]
}

const version = "kubescheduler.config.k8s.io/v1"

/**
 * Reads the profiles of a KubeSchedulerConfiguration: default plug-ins that are disabled or weighed otherwise, for all extension points or for `filter`
 * and `score`. What would change where pods go and is not here (extenders, arguments of plug-ins, other points) is refused; the rest changes nothing.
 */
export function readProfiles(given: unknown): readonly SchedulerProfile[] {
  const { apiVersion, kind, profiles = [{}], extenders = [] } = (given ?? {}) as Configuration
  if (apiVersion !== version || kind !== "KubeSchedulerConfiguration")
    throw invalid(`expected a KubeSchedulerConfiguration of ${version}, found ${kind ?? "none"} of ${apiVersion ?? "no version"}`)
  if (extenders.length > 0) throw invalid(`expected no extenders, found ${extenders.length}; they are not called here`)
  const read = profiles.map((profile) => readProfile(profile, profiles.length > 1))
  const names = read.map(({ schedulerName }) => schedulerName)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) throw invalid(`expected one profile of each schedulerName, found two of ${twice}`)
  return read
}

function readProfile(
  { schedulerName = "", plugins: points = {}, pluginConfig = [] }: GivenProfile,
  isOneOfMany: boolean,
): SchedulerProfile {
  if (schedulerName === "" && isOneOfMany) throw invalid("expected a schedulerName of each profile, found one without")
  if (pluginConfig.length > 0) throw invalid("expected no pluginConfig: plug-ins have their default arguments here")
  const { multiPoint, filter, score, ...others } = points
  const unread = Object.entries(others).find(([, set]) => set !== undefined && (set.enabled ?? set.disabled) !== undefined)
  if (unread !== undefined) throw invalid(`expected plugins of multiPoint, filter and score, found ${unread[0]}`)
  const on = (sets: readonly (PluginSet | undefined)[]) => enabledPlugins(sets)
  const [filtering, scoring] = [on([multiPoint, filter]), on([multiPoint, score])]
  const all = Object.entries(plugins)
  const disabled = all.flatMap(([name, { filters = [] }]) => (filtering.has(name) ? [] : filters))
  const weights = all.flatMap(([name, { score: of }]) => (of === undefined ? [] : [[of, weightOf(scoring, name, of)] as const]))
  return {
    schedulerName: schedulerName || defaultSchedulerName,
    disabledFilters: new Set(disabled),
    weights: Object.fromEntries(weights) as SchedulerProfile["weights"],
  }
}

/** The plug-ins that are on, with the weights they are given; later sets win. */
function enabledPlugins(sets: readonly (PluginSet | undefined)[]): ReadonlyMap<string, number | undefined> {
  const on = new Map<string, number | undefined>(Object.keys(plugins).map((name) => [name, undefined]))
  for (const { disabled = [], enabled = [] } of sets.map((set) => set ?? {})) {
    for (const { name } of disabled) {
      for (const one of name === "*" ? Object.keys(plugins) : [known(name)]) if (plugins[one]?.isFixed !== true) on.delete(one)
      if (plugins[name]?.isFixed === true) throw invalid(`expected plugins that can be disabled here, found ${name}`)
    }
    for (const { name, weight } of enabled) on.set(known(name), weight ?? 1)
  }
  return on
}

function weightOf(on: ReadonlyMap<string, number | undefined>, name: string, score: ScoreName): number {
  return on.has(name) ? (on.get(name) ?? defaultWeights[score]) : 0
}

function known(name: string): string {
  if (Object.hasOwn(plugins, name)) return name
  const near = closest(name, Object.keys(plugins))
  const hint = near === undefined ? `there are ${Object.keys(plugins).join(", ")}` : `did you mean ${near}?`
  throw invalid(`expected a default plug-in of kube-scheduler, found ${name}; ${hint}`)
}

function invalid(message: string): PilothouseError {
  return new PilothouseError("INVALID", message)
}

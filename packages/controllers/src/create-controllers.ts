import { byFlagName, type Controller, type FeatureGate, findControllerDescriptor, flagName } from "@pilothouse/runtime"
import { closest, PilothouseError } from "@pilothouse/seams"
import { controllers } from "./controllers.ts"
import type { GivenSettings, KubeControllerDescriptor, Needs } from "./shared/descriptor.ts"

/** The field manager under which all of upstream's controllers write. */
const fieldManager = "kube-controller-manager"

/** Which controllers run, with which flags, and what the process gives them. */
export interface CreateControllersOptions {
  /** As --controllers: "*" is all that are on by default, "x" that one too, "-x" not that one. Names or aliases; `["*"]` by default. */
  readonly select?: readonly string[]
  /** As --feature-gates, by name; AllAlpha and AllBeta are those of all gates that are not named. */
  readonly featureGates?: FeatureGates
  /** By flag name (with "_" or "-"), for all controllers together. A name that no controller has is refused. */
  readonly settings?: GivenSettings
  readonly needs?: Needs
}

/** Gates by name, as --feature-gates has them: true turns one on. */
export type FeatureGates = Readonly<Record<string, boolean>>

/** Controllers of group versions that a server serves only where they are enabled. */
const byVersion: Readonly<Record<string, readonly string[]>> = {
  "certificates.k8s.io/v1beta1": [
    "kube-apiserver-serving-clustertrustbundle-publisher-controller",
    "podcertificaterequest-cleaner-controller",
  ],
  "internal.apiserver.k8s.io/v1alpha1": ["storageversion-garbage-collector-controller"],
  "resource.k8s.io/v1alpha3": ["resourcepoolstatusrequest-controller"],
  "scheduling.k8s.io/v1alpha2": ["podgroup-protection-controller"],
  "storagemigration.k8s.io/v1beta1": ["storage-version-migrator-controller"],
}

/** Returns the names of the controllers that are on where a server enables these group versions. */
export function controllersOfVersions(enabledVersions: readonly string[] = []): readonly string[] {
  return enabledVersions.flatMap((version) => byVersion[version] ?? [])
}

/** Creates the selected controllers that have what they need; the result is passed to a manager. */
export function createControllers({
  select = ["*"],
  featureGates = {},
  settings = {},
  needs = {},
}: CreateControllersOptions = {}): readonly Controller[] {
  checkSettings(settings)
  const given = byFlagName(settings)
  const able = selectControllers(select, featureGates).filter((entry) => missingNeeds(entry, needs).length === 0)
  return able.flatMap((entry) => entry.create(given, needs)).map((made) => ({ fieldManager, ...made }))
}

/** Returns what a controller needs and is not given; empty when it can run. */
export function missingNeeds(entry: KubeControllerDescriptor, needs: Needs): readonly (keyof Needs)[] {
  return entry.needs.filter((need) => needs[need] === undefined)
}

/**
 * Returns the descriptors of the enabled controllers (upstream: IsControllerEnabled). A name with a minus always wins, as upstream: "*,-x" and "-x,*" are
 * the same. A controller whose feature gate is off does not run, whatever names it; one whose gate is on is among those of "*".
 */
export function selectControllers(select: readonly string[], featureGates: FeatureGates = {}): readonly KubeControllerDescriptor[] {
  const wanted = new Set(select.filter((word) => word !== "*" && !word.startsWith("-")).map(findDescriptor))
  const unwanted = new Set(select.filter((word) => word.startsWith("-")).map((word) => findDescriptor(word.slice(1))))
  const all = select.includes("*")
  return controllers.filter((entry) => {
    const gate = gateOf(entry.featureGate, featureGates)
    return gate !== false && !unwanted.has(entry) && (wanted.has(entry) || (all && (gate ?? entry.onByDefault)))
  })
}

/** Undefined for a gate that is left at its default. */
function gateOf(gate: FeatureGate | undefined, given: FeatureGates): boolean | undefined {
  return gate && (given[gate.name] ?? given[gate.maturity === "alpha" ? "AllAlpha" : "AllBeta"])
}

/** The feature gates that have an effect on controllers. */
export const knownFeatureGates: readonly string[] = [
  "AllAlpha",
  "AllBeta",
  ...controllers.flatMap(({ featureGate }) => featureGate?.name ?? []),
]

function findDescriptor(name: string): KubeControllerDescriptor {
  const found = findControllerDescriptor(controllers, name)
  if (found !== undefined) return found
  const near = closest(
    name,
    controllers.flatMap((entry) => [entry.name, entry.name.replace(/-controller$/, ""), ...entry.aliases]),
  )
  const hint = near === undefined ? `there are ${controllers.map((entry) => entry.name).join(", ")}` : `did you mean "${near}"?`
  throw new PilothouseError("INVALID", `expected the name of a controller, found "${name}"; ${hint}`)
}

function checkSettings(settings: GivenSettings): void {
  const unknown = Object.keys(settings).find((name) => !controllers.some((entry) => flagName(name) in entry.flags))
  if (unknown === undefined) return
  throw new PilothouseError("INVALID", `expected the name of a controller's flag, found "${unknown}"`)
}

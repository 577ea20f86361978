import { keyOf, storageClassOf } from "@pilothouse/api"
import type { PersistentVolume } from "@pilothouse/api/core/v1"
import { type Plan, type PlanBuilder, plan, type Result } from "@pilothouse/runtime"
import { type Duration, messageOf } from "@pilothouse/seams"
import { annotationOf, betaStorageProvisioner, hasAnnotation, selectedNode, storageProvisioner, withAnnotations } from "./annotations.ts"
import { type Plugins, provisionerFor } from "./choose-plugin.ts"
import { type Course, courseOf } from "./claim-action.ts"
import type { ObservedClaim } from "./observe-claim.ts"
import { volumeOperation } from "./operations.ts"
import type { VolumePlugin } from "./plugins/volume-plugin.ts"
import { describeVolume } from "./provisioned-volume.ts"

export interface ProvisionOptions {
  readonly plugins: Plugins
  readonly syncPeriod: Duration
  /** --enable-dynamic-provisioning. */
  readonly dynamicProvisioning: boolean
}

/** Has a volume made for a claim that no volume fits: by a plugin of ours, or by whoever watches claims with its name on them. */
export function decideProvision(observed: ObservedClaim, { plugins, syncPeriod, dynamicProvisioning }: ProvisionOptions): Plan {
  const { claim, class: storageClass, made } = observed
  const course = courseOf(observed)
  if (course.do !== "provision") return plan().nothing(whyNone(course))
  if (!dynamicProvisioning) return plan().nothing("no volumes are made: --enable-dynamic-provisioning is off")
  const failed = (message: string) => notProvisioned(observed, message).requeueAfter(syncPeriod, "it may be mended by then")
  if (storageClass === undefined) return failed(`storageclass.storage.k8s.io "${storageClassOf(claim)}" not found`)
  const choice = provisionerFor(storageClass, plugins)
  if (choice.by === "nobody") return failed(choice.message)
  if (choice.by === "others") return waitForOthers(observed, choice.name, syncPeriod)
  if (made !== undefined) return plan().nothing(`${made.metadata.name} was made for it`)
  const volume = describeVolume(observed, choice.plugin)
  return typeof volume === "string" ? failed(volume) : provision(observed, choice.plugin, volume)
}

/** Never more than the binder knows: it may well wait for a volume that somebody else has to make. */
function whyNone(course: Exclude<Course, { do: "provision" }>): string {
  switch (course.do) {
    case "bind":
      return `${course.volume.metadata.name} is there for it`
    case "lose":
      return `none is made in place of one that was lost: ${course.event.message}`
    case "classify":
      return `it gets the class ${course.class.metadata.name} first`
    case "wait":
      return `none is made for it now: it waits for ${course.for}`
  }
}

export function notProvisioned({ claim }: ObservedClaim, message: string): PlanBuilder {
  return plan().event(claim, "Warning", "ProvisioningFailed", message).nothing(message, { stuck: true })
}

function waitForOthers(observed: ObservedClaim, name: string, syncPeriod: Duration): Plan {
  const message =
    `Waiting for a volume to be created either by the external provisioner '${name}' or manually by the system administrator. ` +
    "If volume creation is delayed, please verify that the provisioner is running and correctly registered."
  return appoint(plan(), observed, name)
    .event(observed.claim, "Normal", "ExternalProvisioning", message)
    .waitFor(`${name} to make a volume`)
    .requeueAfter(syncPeriod, "people should know as long as it lasts")
    .nothing(message)
}

/** Says on the claim who shall make its volume. */
function appoint(built: PlanBuilder, { claim }: ObservedClaim, name: string): PlanBuilder {
  if (annotationOf(claim, storageProvisioner) === name) return built
  const appointed = withAnnotations(claim, { [storageProvisioner]: name, [betaStorageProvisioner]: name })
  return built.update(appointed, `${name} shall make its volume`)
}

function provision(observed: ObservedClaim, plugin: VolumePlugin, volume: PersistentVolume): Plan {
  const { claim, class: storageClass } = observed
  const reason = `no volume fits ${keyOf(claim)}, and its class ${storageClass?.metadata.name} has them made`
  const built = appoint(plan(), observed, storageClass?.provisioner ?? plugin.name)
  if (built.steps.length > 0) built.nextStep()
  return built
    .operation(volumeOperation("provision-volume", plugin, volume, reason))
    .nextStep()
    .create(volume, reason, { tolerate: ["AlreadyExists"] })
    .event(claim, "Normal", "ProvisioningSucceeded", `Successfully provisioned volume ${volume.metadata.name} using ${plugin.name}`)
}

/** Tells people what could not be made. What was made and not saved is found by the next try, or swept once the claim is gone. */
export function settleProvision(observed: ObservedClaim, results: readonly Result[]): Plan {
  const failed = results.find((result) => result.ok === false)
  if (failed?.ok !== false) return plan()
  const error = messageOf(failed.error)
  if (failed.operation.do === "create") {
    return notProvisioned(observed, `Error creating provisioned PV object for claim ${keyOf(observed.claim)}: ${error}.`)
  }
  return failed.operation.do === "provision-volume" ? notMade(observed, error) : plan()
}

/** The scheduler may find a node where it works. */
function notMade(observed: ObservedClaim, error: string): Plan {
  const { claim, class: storageClass } = observed
  const message = `Failed to provision volume with StorageClass "${storageClass?.metadata.name}": ${error}`
  const built = notProvisioned(observed, message)
  if (!hasAnnotation(claim, selectedNode)) return built
  const patch = { metadata: { uid: claim.metadata.uid, annotations: { [selectedNode]: null } } }
  return built.patch(claim, patch, "another node may do")
}

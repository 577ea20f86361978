import { keyOf, storageClassOf } from "@pilothouse/api"
import type { PersistentVolume } from "@pilothouse/api/core/v1"
import { type Plan, type PlanBuilder, plan, type Result } from "@pilothouse/runtime"
import { type Duration, messageOf } from "@pilothouse/seams"
import {
  betaStorageProvisioner,
  boundByController,
  getAnnotation,
  hasAnnotation,
  provisionedBy,
  reclaimFinalizer,
  selectedNode,
  storageProvisioner,
  withAnnotations,
} from "./annotations.ts"
import { claimReference } from "./bind.ts"
import { type Plugins, provisionerFor } from "./choose-plugin.ts"
import { type ClaimAction, nextClaimAction } from "./claim-action.ts"
import type { ObservedClaim } from "./observe-claim.ts"
import { volumeOperation } from "./operations.ts"
import { type DescribedVolume, provisionedPrefix, type VolumePlugin } from "./plugins/volume-plugin.ts"

export interface ProvisionOptions {
  readonly plugins: Plugins
  readonly syncPeriod: Duration
  /** --enable-dynamic-provisioning. */
  readonly dynamicProvisioning: boolean
}

/** Provisions a volume for a claim that no volume fits: by an internal plugin, or by the external provisioner that the claim is annotated with. */
export function decideProvision(observed: ObservedClaim, { plugins, syncPeriod, dynamicProvisioning }: ProvisionOptions): Plan {
  const { claim, class: storageClass, provisioned } = observed
  const action = nextClaimAction(observed)
  if (action.do !== "provision") return plan().nothing(whyNotProvisioned(action))
  if (!dynamicProvisioning) return plan().nothing("no volumes are provisioned: --enable-dynamic-provisioning is off")
  const failed = (message: string) => notProvisioned(observed, message).requeueAfter(syncPeriod, "it may be resolved by then")
  if (storageClass === undefined) return failed(`storageclass.storage.k8s.io "${storageClassOf(claim)}" not found`)
  const choice = provisionerFor(storageClass, plugins)
  if (choice.by === "none") return failed(choice.message)
  if (choice.by === "external") return waitForExternal(observed, choice.name, syncPeriod)
  if (provisioned !== undefined) return plan().nothing(`${provisioned.metadata.name} was provisioned for it`)
  const volume = describeVolume(observed, choice.plugin)
  return typeof volume === "string" ? failed(volume) : provision(observed, choice.plugin, volume)
}

/** Returns why no volume is provisioned. Says no more than the binder knows: the claim may wait for another provisioner. */
function whyNotProvisioned(action: Exclude<ClaimAction, { do: "provision" }>): string {
  switch (action.do) {
    case "bind":
      return `${action.volume.metadata.name} is there for it`
    case "lose":
      return `none is provisioned in place of a lost one: ${action.event.message}`
    case "classify":
      return `it gets the class ${action.class.metadata.name} first`
    case "wait":
      return `none is provisioned for it now: it waits for ${action.for}`
  }
}

export function notProvisioned({ claim }: ObservedClaim, message: string): PlanBuilder {
  return plan().event(claim, "Warning", "ProvisioningFailed", message).nothing(message, { stuck: true })
}

function waitForExternal(observed: ObservedClaim, name: string, syncPeriod: Duration): Plan {
  const message =
    `Waiting for a volume to be created either by the external provisioner '${name}' or manually by the system administrator. ` +
    "If volume creation is delayed, please verify that the provisioner is running and correctly registered."
  return setProvisioner(plan(), observed, name)
    .event(observed.claim, "Normal", "ExternalProvisioning", message)
    .waitFor(`${name} to make a volume`)
    .requeueAfter(syncPeriod, "the event is repeated while it lasts")
    .nothing(message)
}

/** Annotates the claim with its provisioner. */
function setProvisioner(built: PlanBuilder, { claim }: ObservedClaim, name: string): PlanBuilder {
  if (getAnnotation(claim, storageProvisioner) === name) return built
  const appointed = withAnnotations(claim, { [storageProvisioner]: name, [betaStorageProvisioner]: name })
  return built.update(appointed, `${name} provisions its volume`)
}

function provision(observed: ObservedClaim, plugin: VolumePlugin, volume: PersistentVolume): Plan {
  const { claim, class: storageClass } = observed
  const reason = `no volume fits ${keyOf(claim)}, and its class ${storageClass?.metadata.name} provisions them`
  const built = setProvisioner(plan(), observed, storageClass?.provisioner ?? plugin.name)
  if (built.steps.length > 0) built.nextStep()
  return built
    .operation(volumeOperation("provision-volume", plugin, volume, reason))
    .nextStep()
    .create(volume, reason, { tolerate: ["AlreadyExists"] })
    .event(claim, "Normal", "ProvisioningSucceeded", `Successfully provisioned volume ${volume.metadata.name} using ${plugin.name}`)
}

/** Records failed provisioning. Storage without a saved PersistentVolume is found by the next attempt, or swept once the claim is gone. */
export function settleProvision(observed: ObservedClaim, results: readonly Result[]): Plan {
  const failed = results.find((result) => result.ok === false)
  if (failed?.ok !== false) return plan()
  const error = messageOf(failed.error)
  if (failed.operation.do === "create") {
    return notProvisioned(observed, `Error creating provisioned PV object for claim ${keyOf(observed.claim)}: ${error}.`)
  }
  return failed.operation.do === "provision-volume" ? provisionFailed(observed, error) : plan()
}

/** Removes the selected node, so that the scheduler can choose another one. */
function provisionFailed(observed: ObservedClaim, error: string): Plan {
  const { claim, class: storageClass } = observed
  const message = `Failed to provision volume with StorageClass "${storageClass?.metadata.name}": ${error}`
  const built = notProvisioned(observed, message)
  if (!hasAnnotation(claim, selectedNode)) return built
  const patch = { metadata: { uid: claim.metadata.uid, annotations: { [selectedNode]: null } } }
  return built.patch(claim, patch, "another node may do")
}

/** Returns the volume to create, already bound to its claim; or the reason why it cannot be provisioned. */
function describeVolume(observed: ObservedClaim, plugin: VolumePlugin): PersistentVolume | string {
  const { claim, class: storageClass, node } = observed
  if (claim.spec?.dataSource !== undefined) {
    return `plugin "${plugin.name}" is not a CSI plugin. Only CSI plugin can provision a claim with a datasource`
  }
  const options = storageClass?.mountOptions ?? []
  if (plugin.mountOptions !== true && options.length > 0) {
    return `Mount options are not supported by the provisioner but StorageClass "${storageClass?.metadata.name}" has mount options [${options.join(" ")}]`
  }
  const wanted = getAnnotation(claim, selectedNode)
  if (wanted !== undefined && node === undefined) return `Failed to get target node: node "${wanted}" not found`
  const name = `${provisionedPrefix}${claim.metadata.uid}`
  try {
    return boundVolume(observed, plugin.name, name, plugin.provisioner!.describe({ name, claim, class: storageClass!, node }))
  } catch (error) {
    return `Failed to create provisioner: ${messageOf(error)}`
  }
}

function boundVolume(
  { claim, class: storageClass }: ObservedClaim,
  maker: string,
  name: string,
  described: DescribedVolume,
): PersistentVolume {
  const policy = storageClass?.reclaimPolicy ?? "Delete"
  const options = storageClass?.mountOptions
  return {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: {
      name,
      annotations: { ...described.annotations, [boundByController]: "yes", [provisionedBy]: maker },
      ...(policy === "Delete" && { finalizers: [reclaimFinalizer] }),
    },
    spec: {
      ...described.spec,
      persistentVolumeReclaimPolicy: policy,
      storageClassName: storageClassOf(claim),
      claimRef: claimReference(claim),
      ...(options !== undefined && { mountOptions: options }),
    },
  }
}

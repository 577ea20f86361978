import { apiVersionOf, isMirrorPod, type KubeObject, podConfigMaps, podSecrets } from "@pilothouse/api"
import { type PodCertificateRequest, podCertificateRequests } from "@pilothouse/api/certificates/v1beta1"
import { type PersistentVolume, type Pod, persistentVolumes, pods } from "@pilothouse/api/core/v1"
import { type ResourceSlice, resourceSlices } from "@pilothouse/api/resource/v1"
import { type VolumeAttachment, volumeAttachments } from "@pilothouse/api/storage/v1"
import type { Registry } from "../../registry/registry.ts"
import { inTurns, type Turns } from "../../request/turns.ts"
import type { Change, Storage } from "../../storage/storage.ts"

/** What a NodeGraph reads. */
export interface GraphSources {
  readonly storage: Storage
  readonly registry: Pick<Registry, "of" | "enabledVersions">
  readonly turns: Turns
}

/** Counts the references that a node has to an object, one more or one less. */
type Step = 1 | -1

/**
 * Which objects belong to which node: pods by spec.nodeName with all that they mount and name, the volumes bound to their claims with the Secrets of
 * those, and attachments and slices of devices by the node that they name. It is built in turns (100,000 pods take most of a second), and follows the
 * storage with each commit.
 *
 * Invariant: an object stands under a node as often as there are references to it; no count is zero and no map is empty.
 */
export class NodeGraph implements Disposable {
  /** Nodes of each object, with the number of references. */
  readonly #nodes = new Map<string, Map<string, number>>()
  /** The claim that each PersistentVolume is bound to. */
  readonly #claims = new Map<string, string>()
  /** The PersistentVolumes that need each Secret. */
  readonly #volumes = new Map<string, Set<string>>()
  readonly #watches = new DisposableStack()
  /** Until everything that was stored is counted. */
  #building: Promise<void> | undefined

  constructor(sources: GraphSources) {
    const building = inTurns(this.#build(sources), sources.turns.begin())
    this.#building = building?.then(() => void (this.#building = undefined))
  }

  *#build({ storage, registry }: GraphSources): Generator<undefined, void, undefined> {
    const { of, enabledVersions } = registry
    yield* this.#follow<Pod>(storage, of(pods).stored.prefix, (pod, step) => this.#countPod(pod, step), sameReferences)
    yield* this.#follow<PersistentVolume>(storage, of(persistentVolumes).stored.prefix, (volume, step) => this.#countVolume(volume, step))
    yield* this.#follow<VolumeAttachment>(storage, of(volumeAttachments).stored.prefix, ({ metadata, spec }, step) =>
      this.#count(vertex("volumeattachments", "", metadata.name ?? ""), spec?.nodeName, step),
    )
    yield* this.#follow<ResourceSlice>(storage, of(resourceSlices).stored.prefix, ({ metadata, spec }, step) =>
      this.#count(vertex("resourceslices", "", metadata.name ?? ""), spec?.nodeName, step),
    )
    if (!enabledVersions.includes(apiVersionOf(podCertificateRequests))) return
    yield* this.#follow<PodCertificateRequest>(storage, of(podCertificateRequests).stored.prefix, ({ metadata, spec }, step) =>
      this.#count(vertex("podcertificaterequests", metadata.namespace ?? "", metadata.name ?? ""), spec.nodeName, step),
    )
  }

  /** Counts each object that is stored once, and each change: the state before it one less, the one behind it one more. */
  *#follow<T extends KubeObject>(
    storage: Storage,
    prefix: string,
    count: (object: T, step: Step) => void,
    same: (before: T, after: T) => boolean = () => false,
  ): Generator<undefined, void, undefined> {
    if (this.#watches.disposed) return
    const { items, revision } = storage.list(prefix)
    const apply = ({ type, value, previous }: Change) => {
      const before = previous?.value as T | undefined
      if (type === "put" && before !== undefined && same(before, value as T)) return
      if (before !== undefined) count(before, -1)
      if (type === "put") count(value as T, 1)
    }
    /** What changes before all is counted: a deletion of what is not counted yet would count below zero. */
    const later: Change[] = []
    let isCounted = false
    this.#watches.use(storage.watch(prefix, revision, (change) => void (isCounted ? apply(change) : later.push(change))))
    for (const { value } of items) yield void count(value as T, 1)
    for (const change of later) yield void apply(change)
    isCounted = true
  }

  /** Reports whether a node needs an object: for one of its pods, or because the object names it. Waits for the graph while it is being built. */
  leadsTo(node: string, resource: string, namespace: string, name: string): boolean | Promise<boolean> {
    return this.#building?.then(() => this.#leads(node, resource, namespace, name)) ?? this.#leads(node, resource, namespace, name)
  }

  #leads(node: string, resource: string, namespace: string, name: string): boolean {
    const object = vertex(resource, namespace, name)
    if (this.#isOf(node, object)) return true
    if (resource === "persistentvolumes") return this.#isOf(node, this.#claims.get(name))
    if (resource !== "secrets") return false
    for (const volume of this.#volumes.get(object) ?? []) if (this.#isOf(node, this.#claims.get(volume))) return true
    return false
  }

  #isOf(node: string, object: string | undefined): boolean {
    return object !== undefined && this.#nodes.get(object)?.has(node) === true
  }

  #countPod(pod: Pod, step: Step): void {
    const node = pod.spec?.nodeName ?? ""
    if (node === "") return
    for (const object of podReferences(pod)) this.#count(object, node, step)
  }

  #countVolume(volume: PersistentVolume, step: Step): void {
    const { claimRef } = volume.spec ?? {}
    if (claimRef === undefined) return
    const { name = "" } = volume.metadata
    if (step === 1) this.#claims.set(name, vertex("persistentvolumeclaims", claimRef.namespace ?? "", claimRef.name ?? ""))
    else this.#claims.delete(name)
    for (const secret of volumeSecrets(volume)) {
      const users = this.#volumes.get(secret) ?? new Set()
      if (step === 1) this.#volumes.set(secret, users.add(name))
      else if (users.delete(name) && users.size === 0) this.#volumes.delete(secret)
    }
  }

  #count(object: string, node: string | undefined, step: Step): void {
    if (node === undefined || node === "") return
    const counts = this.#nodes.get(object) ?? new Map<string, number>()
    const count = (counts.get(node) ?? 0) + step
    if (count > 0) this.#nodes.set(object, counts.set(node, count))
    else if (counts.delete(node) && counts.size === 0) this.#nodes.delete(object)
  }

  [Symbol.dispose](): void {
    this.#watches.dispose()
  }
}

/** An object of the graph: its resource, namespace ("" for cluster-scoped ones) and name. */
function vertex(resource: string, namespace: string, name: string): string {
  return `${resource}/${namespace}/${name}`
}

/**
 * Returns a pod and all objects that its node may read for it. Of a mirror pod, which a node makes by itself, the pod alone: no node can give rights
 * to itself.
 */
function podReferences(pod: Pod): readonly string[] {
  const { namespace = "", name = "" } = pod.metadata
  const own = vertex("pods", namespace, name)
  if (isMirrorPod(pod)) return [own]
  const all = (resource: string, names: readonly string[]) => names.map((one) => vertex(resource, namespace, one))
  const account = pod.spec?.serviceAccountName ?? ""
  return [
    own,
    ...all("serviceaccounts", account === "" ? [] : [account]),
    ...all("secrets", podSecrets(pod)),
    ...all("configmaps", podConfigMaps(pod)),
    ...all("persistentvolumeclaims", volumeClaims(pod)),
    ...all("resourceclaims", resourceClaims(pod)),
  ]
}

function volumeClaims({ metadata, spec }: Pod): readonly string[] {
  return (spec?.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }) => {
    if (persistentVolumeClaim !== undefined) return [persistentVolumeClaim.claimName]
    return ephemeral === undefined ? [] : [`${metadata.name}-${name}`]
  })
}

/** A claim of a template has the name that the pod's status says; there is none yet where it says nothing. */
function resourceClaims({ spec, status }: Pod): readonly string[] {
  const generated = new Map((status?.resourceClaimStatuses ?? []).map(({ name, resourceClaimName }) => [name, resourceClaimName]))
  const named = (spec?.resourceClaims ?? []).map(({ name, resourceClaimName }) => resourceClaimName ?? generated.get(name))
  return [...named, status?.extendedResourceClaimStatus?.resourceClaimName].flatMap((name) => name || [])
}

/** Reports whether a change of a pod left its references as they were. Most changes are of its status. */
function sameReferences(before: Pod, after: Pod): boolean {
  return (
    before.spec === after.spec &&
    before.metadata.uid === after.metadata.uid &&
    isMirrorPod(before) === isMirrorPod(after) &&
    before.status?.resourceClaimStatuses === after.status?.resourceClaimStatuses &&
    before.status?.extendedResourceClaimStatus === after.status?.extendedResourceClaimStatus
  )
}

interface SecretReference {
  readonly name?: string
  readonly namespace?: string
}

/** Returns the Secrets that a kubelet reads to mount a volume. Some volumes of old mean the namespace of their claim where they name none. */
function volumeSecrets({ spec = {} }: PersistentVolume): readonly string[] {
  const { azureFile, csi, cephfs, cinder, flexVolume, rbd, scaleIO, iscsi, storageos, claimRef } = spec
  const ofClaim = claimRef?.namespace ?? ""
  const orOfClaim = ({ name, namespace = "" }: SecretReference = {}) => ({ name, namespace: namespace || ofClaim })
  const found: readonly (SecretReference | undefined)[] = [
    azureFile && orOfClaim({ name: azureFile.secretName, namespace: azureFile.secretNamespace }),
    ...[cephfs, flexVolume, rbd, scaleIO, iscsi].map((source) => orOfClaim(source?.secretRef)),
    cinder?.secretRef,
    storageos?.secretRef,
    csi?.nodePublishSecretRef,
    csi?.nodeStageSecretRef,
    csi?.nodeExpandSecretRef,
  ]
  return found.flatMap((one) => (one?.name ? [vertex("secrets", one.namespace ?? "", one.name)] : []))
}

import type { KubeObject } from "@pilothouse/api"
import { type PersistentVolume, type Pod, persistentVolumes, pods } from "@pilothouse/api/core/v1"
import { type ResourceSlice, resourceSlices } from "@pilothouse/api/resource/v1"
import { type VolumeAttachment, volumeAttachments } from "@pilothouse/api/storage/v1"
import type { Registry } from "../../registry/registry.ts"
import type { Change, Storage } from "../../storage/storage.ts"
import { podReferences, sameReferences, vertex, volumeSecrets } from "./references.ts"

/** What a NodeGraph reads. */
export interface GraphSources {
  readonly storage: Storage
  readonly registry: Pick<Registry, "of">
}

/** Counts the references that a node has to an object, one more or one less. */
type Step = 1 | -1

/**
 * Which objects belong to which node: pods by spec.nodeName with all that they mount and name, the volumes bound to their claims with the Secrets of
 * those, and attachments and slices of devices by the node that they name. It follows the storage with each commit.
 *
 * Always true between calls: an object stands under a node as often as there are references to it; no count is zero and no map is empty.
 */
export class NodeGraph implements Disposable {
  /** Nodes of each object, with the number of references. */
  readonly #nodes = new Map<string, Map<string, number>>()
  /** The claim that each PersistentVolume is bound to. */
  readonly #claims = new Map<string, string>()
  /** The PersistentVolumes that need each Secret. */
  readonly #volumes = new Map<string, Set<string>>()
  readonly #watches = new DisposableStack()

  constructor(sources: GraphSources) {
    const follow = <T extends KubeObject>(
      prefix: string,
      count: (object: T, step: Step) => void,
      same?: (before: T, after: T) => boolean,
    ) => this.#watches.use(followObjects(sources.storage, prefix, count, same))
    const { registry } = sources
    follow<Pod>(registry.of(pods).stored.prefix, (pod, step) => this.#countPod(pod, step), sameReferences)
    follow<PersistentVolume>(registry.of(persistentVolumes).stored.prefix, (volume, step) => this.#countVolume(volume, step))
    follow<VolumeAttachment>(registry.of(volumeAttachments).stored.prefix, ({ metadata, spec }, step) =>
      this.#count(vertex("volumeattachments", "", metadata.name ?? ""), spec?.nodeName, step),
    )
    follow<ResourceSlice>(registry.of(resourceSlices).stored.prefix, ({ metadata, spec }, step) =>
      this.#count(vertex("resourceslices", "", metadata.name ?? ""), spec?.nodeName, step),
    )
  }

  /** Reports whether a node needs an object: for one of its pods, or because the object names it. */
  leadsTo(node: string, resource: string, namespace: string, name: string): boolean {
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

/** Counts each object that is stored once, and from then on each change: the state before it one less, the one behind it one more. */
function followObjects<T extends KubeObject>(
  storage: Storage,
  prefix: string,
  count: (object: T, step: Step) => void,
  same: (before: T, after: T) => boolean = () => false,
): Disposable {
  const { items, revision } = storage.list(prefix)
  for (const { value } of items) count(value as T, 1)
  return storage.watch(prefix, revision, ({ type, value, previous }: Change) => {
    const before = previous?.value as T | undefined
    if (type === "put" && before !== undefined && same(before, value as T)) return
    if (before !== undefined) count(before, -1)
    if (type === "put") count(value as T, 1)
  })
}

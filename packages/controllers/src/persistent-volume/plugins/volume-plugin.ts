import type { Node, PersistentVolume, PersistentVolumeClaim, PersistentVolumeSpec } from "@pilothouse/api/core/v1"
import type { StorageClass } from "@pilothouse/api/storage/v1"
import { RetryAfterError } from "@pilothouse/runtime"

/** A volume that is provisioned for a claim is named `pvc-<UID of the claim>`. */
export const provisionedPrefix = "pvc-"

/** A request to provision a volume. */
export interface ProvisionRequest {
  /** `pvc-<UID of the claim>`: the storage carries it, so that it is found again and never created twice. */
  readonly name: string
  readonly claim: PersistentVolumeClaim
  readonly class: StorageClass
  /** The node that the scheduler chose for the first pod that uses it. */
  readonly node?: Node
}

/** The parts of a volume that only its plugin knows. */
export interface DescribedVolume {
  readonly spec: PersistentVolumeSpec
  readonly annotations?: Readonly<Record<string, string>>
}

/** Provisions volumes for claims. A crash between two calls loses nothing: storage is found again by the name of its volume. */
export interface Provisioner {
  /** Returns the volume without side effects; throws the reason when it cannot be provisioned. */
  describe(request: ProvisionRequest): DescribedVolume
  /** Creates the storage of the volume, or finds it. Idempotent: the same call may be repeated. */
  provision(volume: PersistentVolume, signal: AbortSignal): Promise<void>
  /** Returns the names of storage that was never written to: a crash may have left it without a PersistentVolume. */
  unused(): Promise<readonly string[]>
  /** Deletes the storage if it is still unused. */
  discard(name: string, signal: AbortSignal): Promise<void>
}

/** Storage of one kind. Every call is idempotent. Arguments are read-only. */
export interface VolumePlugin {
  /** As in a StorageClass: "kubernetes.io/host-path". */
  readonly name: string
  /** Whether its volumes can be mounted with options. */
  readonly mountOptions?: boolean
  /** Whether the volume is of its kind. */
  supports(volume: PersistentVolume): boolean
  readonly provisioner?: Provisioner
  /** Empties the volume and keeps it. */
  recycle?(volume: PersistentVolume, signal: AbortSignal): Promise<void>
  /** Throws VolumeInUseError while something uses it. */
  delete?(volume: PersistentVolume, signal: AbortSignal): Promise<void>
}

/** The volume cannot be deleted yet because it is in use; the delete is retried without counting as a failure. */
export class VolumeInUseError extends RetryAfterError {}

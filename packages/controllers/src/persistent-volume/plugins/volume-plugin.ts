import type { Node, PersistentVolume, PersistentVolumeClaim, PersistentVolumeSpec } from "@pilothouse/api/core/v1"
import type { StorageClass } from "@pilothouse/api/storage/v1"
import { RetryAfterError } from "@pilothouse/runtime"

/** A volume that is provisioned for a claim is named `pvc-<UID of the claim>`. */
export const provisionedPrefix = "pvc-"

/** Somebody who asks for a volume. */
export interface ProvisionRequest {
  /** `pvc-<UID of the claim>`: what is made carries it, so that it is found again and never made twice. */
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

export interface Provisioner {
  /** Pure: what the volume will be. Throws why it cannot be. */
  describe(request: ProvisionRequest): DescribedVolume
  /** Makes what the volume says, or finds it made; an answer may be lost, and the same call come again. */
  provision(volume: PersistentVolume, signal: AbortSignal): Promise<void>
  /** Names of what it made and nobody ever wrote to: a crash may have left it without a PersistentVolume. */
  unused(): Promise<readonly string[]>
  /** Removes what is still unused; leaves everything else alone. */
  discard(name: string, signal: AbortSignal): Promise<void>
}

/** Storage of one kind. Every call may be repeated, and succeeds when there is nothing left to do. Arguments are read-only. */
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

/** The volume cannot go yet: no failure, only a matter of time. */
export class VolumeInUseError extends RetryAfterError {}

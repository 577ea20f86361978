import type { CertificateAuthority } from "@pilothouse/api/x509"
import {
  type ControllerDescriptor,
  type ControllerDescriptorOptions,
  controllerDescriptor,
  type Flags,
  type GivenSettings,
} from "@pilothouse/runtime"
import type { Files, Metrics } from "@pilothouse/seams"
import type { VolumePlugin } from "../persistent-volume/plugins/volume-plugin.ts"

/** What controllers need from the process that starts them, besides the API server. */
export interface Needs {
  /** The CA that pods verify the API server with, as PEM. */
  readonly rootCa?: string
  /** Signs the token of a service account's Secret, as the API server would verify it. */
  readonly signToken?: SignToken
  /** The authorities that sign CertificateSigningRequests, by the name of the signer. */
  readonly signers?: Signers
  /** Where the host-path plugin of persistent volumes works. */
  readonly files?: Files
  /** The directory that contains its volumes; nothing outside of it is changed. */
  readonly volumeRoot?: string
  /** Records the metrics of upstream's controllers; without it none are recorded. */
  readonly metrics?: Metrics
  /** Storage of other kinds. */
  readonly volumePlugins?: readonly VolumePlugin[]
}

/** Claims of a token in, the signed JWT out; synchronous, so that virtual time holds. */
export type SignToken = (claims: Readonly<Record<string, unknown>>) => string

/** Each is called for every signature, so that files which changed are read again. */
export type Signers = Readonly<Record<string, () => CertificateAuthority>>

export type { GivenSettings }
/** One row of the table of controllers: its names and flags, and how it is created. */
export type KubeControllerDescriptor = ControllerDescriptor<Needs>

/** Returns one row of the table of controllers. Each controller's folder exports its own from controller.ts. */
export function descriptor<F extends Flags>(given: ControllerDescriptorOptions<F, Needs>): KubeControllerDescriptor {
  return controllerDescriptor(given)
}

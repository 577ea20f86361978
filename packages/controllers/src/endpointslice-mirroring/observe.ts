import { type Endpoints, endpoints, services } from "@pilothouse/api/core/v1"
import { type EndpointSlice, endpointSlices } from "@pilothouse/api/discovery/v1"
import { index, type Reader } from "@pilothouse/runtime"
import { managedByLabel, serviceNameLabel } from "../endpointslice/slice.ts"

/** The value of the managed-by label of slices of this controller. */
export const managedByMirroring = "endpointslicemirroring-controller.k8s.io"

const skipMirrorLabel = "endpointslice.kubernetes.io/skip-mirror"

/** Old leader elections keep their record in the annotations of Endpoints: those change every two seconds and have no addresses. */
const leaderAnnotation = "control-plane.alpha.kubernetes.io/leader"

export interface Observed {
  /** Undefined where the key must have no mirrored slices. */
  readonly endpoints: Endpoints | undefined
  /** Why there is nothing to mirror. */
  readonly why: string
  /** The slices of this controller for the key, in the order of their names. */
  readonly slices: readonly EndpointSlice[]
}

/** Slices of this controller by the Endpoints that they mirror. */
export const mirroredSlices = index(endpointSlices, "mirrored-endpoints", mirroredKeys)

export function observe(key: string, read: Reader): Observed | undefined {
  const slices = [...read.byIndex(mirroredSlices, key)].sort((a, b) => ((a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1))
  const mirrored = read.get(endpoints, key)
  const why = reasonAgainst(key, mirrored, read)
  if (why === undefined) return { endpoints: mirrored, why: "", slices }
  return slices.length === 0 ? undefined : { endpoints: undefined, why, slices }
}

function reasonAgainst(key: string, mirrored: Endpoints | undefined, read: Reader): string | undefined {
  if (mirrored === undefined) return "the Endpoints are gone"
  if (!isMirrorable(mirrored)) return "the Endpoints say that they are not mirrored"
  const service = read.get(services, key)
  if (service === undefined) return "there is no Service of this name"
  return service.spec?.selector === undefined ? undefined : "the Service has a selector: its slices come from its pods"
}

/** Reports whether Endpoints may be mirrored, as far as they say it themselves. */
export function isMirrorable({ metadata }: Endpoints): boolean {
  return metadata.labels?.[skipMirrorLabel] !== "true" && metadata.annotations?.[leaderAnnotation] === undefined
}

/** Returns the key of the Endpoints that a slice of this controller mirrors. */
export function mirroredKeys({ metadata }: EndpointSlice): readonly string[] {
  const name = metadata.labels?.[serviceNameLabel]
  return metadata.labels?.[managedByLabel] === managedByMirroring && name ? [`${metadata.namespace}/${name}`] : []
}

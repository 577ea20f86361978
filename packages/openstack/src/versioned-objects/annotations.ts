import { decodeObject } from "./decode.ts"
import { encodeObject } from "./encode.ts"
import type { LBaaSServiceSpec, LBaaSState, Vif } from "./objects.ts"

/** openstack.org/kuryr-lbaas-spec */
export function encodeServiceSpec(spec: LBaaSServiceSpec): string {
  return encodeObject("LBaaSServiceSpec", spec)
}

/** Reads what encodeServiceSpec or kuryr wrote; throws where it is another object or another major version. */
export function decodeServiceSpec(text: string): LBaaSServiceSpec {
  const { type, ...spec } = decodeObject(["LBaaSServiceSpec"], text) as unknown as LBaaSServiceSpec
  // Without a field of that name, `type` is only the name of the class.
  return type === undefined || type === "LBaaSServiceSpec" ? spec : { ...spec, type }
}

/** openstack.org/kuryr-lbaas-state */
export function encodeState(state: LBaaSState): string {
  return encodeObject("LBaaSState", state)
}

/** Reads what encodeState or kuryr wrote; throws where it is another object or another major version. */
export function decodeState(text: string): LBaaSState {
  const { type: _, ...state } = decodeObject(["LBaaSState"], text)
  return state as unknown as LBaaSState
}

const vifs = ["VIFOpenVSwitch", "VIFBridge", "VIFVlanNested", "VIFMacvlanNested"] as const

/** openstack.org/kuryr-vif */
export function encodeVif(vif: Vif): string {
  return encodeObject(vif.type, vif)
}

/** Later versions of kuryr put a PodState around it: then it is the default one. */
export function decodeVif(text: string): Vif {
  const read = decodeObject([...vifs, "PodState"], text)
  return (read.type === "PodState" ? (read as unknown as { default_vif: Vif }).default_vif : read) as Vif
}

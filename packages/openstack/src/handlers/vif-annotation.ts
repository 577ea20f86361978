import type { PodPort } from "../drivers/pod-vif.ts"
import type { NetworkSubnets } from "../drivers/subnets.ts"
import { encodeVif } from "../versioned-objects/annotations.ts"
import { pythonJson } from "../versioned-objects/python-json.ts"
import { bridgedVif, macvlanVif, vlanVif } from "../versioned-objects/vif-of-port.ts"

export interface VifParts extends PodPort {
  readonly network: NetworkSubnets
  readonly ovsBridge?: string
  /** The port needs no agent to become active. */
  readonly activeAtOnce: boolean
}

/** What kuryr's CNI plugin reads. */
export function vifText({ port, vlanId, network, ovsBridge, activeAtOnce }: VifParts): string {
  if (activeAtOnce) return encodeVif({ ...macvlanVif(port, network), active: true })
  return encodeVif(vlanId === undefined ? bridgedVif(port, network, ovsBridge) : vlanVif(port, network, vlanId))
}

type Primitive = Readonly<Record<string, unknown>>

/** The same text, with an active VIF: whatever else a later kuryr put into it stays as it is. */
export function activated(text: string): string {
  const whole = JSON.parse(text) as Primitive
  const data = whole["versioned_object.data"] as Primitive
  const on = (vif: Primitive) => ({ ...vif, "versioned_object.data": { ...(vif["versioned_object.data"] as Primitive), active: true } })
  if (data.default_vif === undefined) return pythonJson(on(whole))
  return pythonJson({ ...whole, "versioned_object.data": { ...data, default_vif: on(data.default_vif as Primitive) } })
}
